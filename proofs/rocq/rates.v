(******************************************************************************)
(* Decay rates.                                                               *)
(*      g n tau s == tau / ((n - 2) (s - tau)), the rate of one step of size  *)
(*                   s at context length n                                    *)
(*  composition tau s c == c is a sequence of parts, all larger than tau, of  *)
(*                   sum s                                                    *)
(*   hmin tau f s == the least product of f over the compositions of s        *)
(*      h n tau s == hmin tau (g n tau) s                                     *)
(* A step needs s > tau.  With tau < 1 every part is admissible; with         *)
(* 1 <= tau < 2 (free readout at tolerance 1/2) the part 1 is not, and        *)
(* hmin tau f s is meaningful for s = 0 and for s > tau.                      *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify.
From KattnBounds Require Import defs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma sumr_gt0 (R : numDomainType) (I : finType) (P : pred I) (F : I -> R) i0 :
  P i0 -> (forall i, P i -> 0 < F i) -> 0 < \sum_(i | P i) F i.
Proof.
move=> Pi0 F_gt0; rewrite (bigD1 i0) //= ltr_paddr ?F_gt0 //.
by apply: sumr_ge0 => i /andP[/F_gt0/ltW].
Qed.

Section MinSeq.
Variables (R : realDomainType) (I : eqType) (P : pred I) (F : I -> R).
Implicit Type r : seq I.

Lemma bigmin_le_dflt r d : \big[Num.min/d]_(i <- r | P i) F i <= d.
Proof.
elim/big_rec: _ => // i e _ e_le.
by rewrite le_minl e_le orbT.
Qed.

Lemma bigmin_le r d i :
  i \in r -> P i -> \big[Num.min/d]_(k <- r | P k) F k <= F i.
Proof.
elim: r => //= k r IHr; rewrite inE big_cons => /predU1P[<- ->|].
  by rewrite le_minl lexx.
move=> ir Pi; case: ifP => _; last exact: IHr.
by rewrite le_minl IHr ?orbT.
Qed.

Lemma bigmin_attained r d :
  \big[Num.min/d]_(i <- r | P i) F i = d \/
  exists i, [/\ i \in r, P i & \big[Num.min/d]_(i <- r | P i) F i = F i].
Proof.
elim: r => [|k r IHr]; first by left; rewrite big_nil.
rewrite big_cons; case: ifP => Pk.
  rewrite minEle; case: ifP => _; first by right; exists k; rewrite mem_head.
  case: IHr => [|[i [ir Pi e]]]; first by left.
  by right; exists i; rewrite inE ir orbT.
case: IHr => [|[i [ir Pi e]]]; first by left.
by right; exists i; rewrite inE ir orbT.
Qed.

End MinSeq.

Section Compositions.
Variables (R : realFieldType) (tau : R) (f : nat -> R).
Hypothesis tau_gt0 : 0 < tau.

Definition composition s (c : seq nat) : bool :=
  (sumn c == s) && all (fun j => tau < j%:R) c.

Fixpoint hrec (fuel s : nat) : R :=
  if fuel is k.+1 then
    if s == 0%N then 1 else
    \big[Num.min/f s]_(j <- iota 1 s.-1 | (tau < j%:R) && (tau < (s - j)%N%:R))
      (f j * hrec k (s - j)%N)
  else 1.

Definition hmin s := hrec s s.

Lemma hmin0 : hmin 0 = 1. Proof. by []. Qed.

Lemma hrec_stable k s : (s <= k)%N -> hrec k s = hmin s.
Proof.
rewrite /hmin; elim/ltn_ind: s k => -[|s] IHs [|k] //= s_le.
rewrite big_seq_cond [RHS]big_seq_cond; apply: eq_bigr => j /andP[].
rewrite mem_iota => /andP[j_gt0 j_lt] _.
by rewrite (IHs (s.+1 - j)%N) 1?(IHs (s.+1 - j)%N) //; lia.
Qed.

Lemma hminE s : (0 < s)%N ->
  hmin s = \big[Num.min/f s]_(j <- iota 1 s.-1 |
              (tau < j%:R) && (tau < (s - j)%N%:R)) (f j * hmin (s - j)%N).
Proof.
case: s => // s _; rewrite {1}/hmin /= big_seq_cond [RHS]big_seq_cond.
apply: eq_bigr => j /andP[]; rewrite mem_iota => /andP[j_gt0 j_lt] _.
by rewrite hrec_stable //; lia.
Qed.

Lemma part_gt0 j : tau < j%:R -> (0 < j)%N.
Proof. by move/(lt_trans tau_gt0); rewrite ltr0n. Qed.

(* Either one step is best, or a first step and the best way from there. *)
Lemma hmin_step s : tau < s%:R ->
  hmin s = f s \/
  exists j, [/\ (0 < j < s)%N, tau < j%:R, tau < (s - j)%N%:R
              & hmin s = f j * hmin (s - j)%N].
Proof.
move=> /part_gt0 s_gt0; rewrite (hminE s_gt0).
have := bigmin_attained (fun j => (tau < j%:R) && (tau < (s - j)%N%:R))
  (fun j => f j * hmin (s - j)%N) (iota 1 s.-1) (f s).
case=> [|[j [j_in /andP[j_gt sj_gt] ->]]]; first by left.
right; exists j; split=> //; move: j_in; rewrite mem_iota; lia.
Qed.

Lemma hmin_le_step s : (0 < s)%N -> hmin s <= f s.
Proof. by move=> s_gt0; rewrite hminE // bigmin_le_dflt. Qed.

Lemma hmin_le_mul s j : tau < j%:R -> tau < (s - j)%N%:R ->
  hmin s <= f j * hmin (s - j)%N.
Proof.
move=> j_gt sj_gt; have [j_gt0 sj_gt0] := (part_gt0 j_gt, part_gt0 sj_gt).
rewrite hminE; last by lia.
by apply: bigmin_le; rewrite ?mem_iota ?j_gt //; lia.
Qed.

Lemma hmin_attained s : tau < s%:R ->
  exists2 c, composition s c & hmin s = \prod_(j <- c) f j.
Proof.
elim/ltn_ind: s => s IHs s_gt; case: (hmin_step s_gt) => [->|].
  by exists [:: s]; rewrite ?big_seq1 // /composition /= addn0 eqxx s_gt.
case=> j [/andP[j_gt0 j_lt] j_gt sj_gt ->].
have [|c /andP[/eqP sum_c all_c] ->] := IHs (s - j)%N _ sj_gt; first by lia.
exists (j :: c); rewrite ?big_cons // /composition /= sum_c j_gt all_c.
by rewrite subnKC ?eqxx // ltnW.
Qed.

Hypothesis f_gt0 : forall s, tau < s%:R -> 0 < f s.

Lemma hmin_gt0 s : tau < s%:R -> 0 < hmin s.
Proof.
move=> /hmin_attained[c /andP[_ /allP all_c] ->].
by rewrite big_seq_cond prodr_gt0 // => j /andP[/all_c /f_gt0].
Qed.

Lemma hmin_le s c : composition s c -> hmin s <= \prod_(j <- c) f j.
Proof.
elim: c s => [|j c IHc] s /andP[/= /eqP<-]; first by rewrite big_nil.
case/andP=> j_gt all_c; rewrite big_cons.
have [c_nil|c_neq0] := eqVneq c [::].
  rewrite c_nil big_nil mulr1 /= addn0 hmin_le_step //; exact: part_gt0.
have comp_c : composition (sumn c) c by rewrite /composition eqxx.
have sum_gt : tau < (sumn c)%:R.
  case: c c_neq0 all_c {IHc comp_c} => //= i c _ /andP[i_gt _].
  by rewrite natrD ltr_paddr.
apply: le_trans (hmin_le_mul j_gt _) _; rewrite addKn //.
by rewrite ler_pmul2l ?IHc ?f_gt0.
Qed.

End Compositions.

Definition g (R : realFieldType) (n : nat) (tau : R) (s : nat) : R :=
  tau / ((n - 2)%N%:R * (s%:R - tau)).

Definition h (R : realFieldType) (n : nat) (tau : R) (s : nat) : R :=
  hmin tau (g n tau) s.

Lemma g_gt0 (R : realFieldType) n (tau : R) s :
  0 < tau -> (2 < n)%N -> tau < s%:R -> 0 < g n tau s.
Proof.
by move=> tau_gt0 n_gt2 s_gt; rewrite divr_gt0 // mulr_gt0 ?subr_gt0 ?ltr0n ?subn_gt0.
Qed.

(* Chaining steps through tokens of intermediate level. *)
Section Chain.
Variables (R : realFieldType) (m : nat) (tau : R) (f : nat -> R).
Variable K : kernel R m.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis f_gt0 : forall s, tau < s%:R -> 0 < f s.
Hypothesis step : forall (q a b : token m) s,
  dot q b = (dot q a + s)%N -> tau < s%:R -> K q b < f s * K q a.

Lemma chain (q a b : token m) s :
  dot q b = (dot q a + s)%N -> tau < s%:R -> K q b < hmin tau f s * K q a.
Proof.
elim/ltn_ind: s a b => s IHs a b eq_ab s_gt.
case: (hmin_step f tau_gt0 s_gt) => [->|]; first exact: step.
case=> j [/andP[j_gt0 j_lt] j_gt sj_gt ->].
have [|c _ eq_c] := @dot_subset _ q (dot q a + j)%N.
  by apply: leq_trans (dot_le q b); rewrite eq_ab leq_add2l ltnW.
have lt_bc : K q b < hmin tau f (s - j)%N * K q c.
  by apply: IHs => //; rewrite ?eq_c ?eq_ab; lia.
apply: lt_trans lt_bc _; rewrite [f j * _]mulrC -mulrA.
by rewrite ltr_pmul2l ?step ?hmin_gt0.
Qed.

End Chain.
