(******************************************************************************)
(* Layer certificates (L1, L2, L3): a checker on binary integers.             *)
(*   htable Tn Td n len == upper bounds of h(len), ..., h(0) as integers over *)
(*                         powers of a common denominator                     *)
(*   check_layer        : inner readout;  check_layer_sound: lower_bound      *)
(*   check_layer_free   : free readout;   check_layer_free_sound              *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay family layer check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* Parts j (at most six are needed) with an integer G_j, g(j) <= G_j / L.     *)
Section Table.
Variables (n Tn Td : Z).

Definition part_den (j : nat) : Z := ((n - 2) * (Z.of_nat j * Td - Tn))%bZ.

Definition admissible_parts : seq nat :=
  [seq j <- iota 1 6 | (Tn <? Z.of_nat j * Td)%bZ].

Definition common_den : Z := foldr (fun j L => Z.lcm (part_den j) L) 1%bZ admissible_parts.

(* Entry j holds G_j L^(j-1). *)
Definition part_weights : seq (nat * Z) :=
  [seq (j, (Tn * (common_den / part_den j) * common_den ^ (Z.of_nat j - 1))%bZ)
     | j <- admissible_parts].

Definition parts_ok (L : Z) (parts : seq (nat * Z)) : bool :=
  (0 <? L)%bZ &&
  all (fun jw => [&& (0 < jw.1)%N, (Tn <? Z.of_nat jw.1 * Td)%bZ &
         (Tn * L ^ Z.of_nat jw.1 <=? jw.2 * part_den jw.1)%bZ]) parts.

(* The table, largest s first. *)
Definition hcands (parts : seq (nat * Z)) (hs : seq (option Z)) : seq Z :=
  pmap (fun jw => omap (Z.mul jw.2) (nth None hs jw.1.-1)) parts.

Definition hnext (parts : seq (nat * Z)) (hs : seq (option Z)) : option Z :=
  if hcands parts hs is c :: cs then Some (foldr Z.min c cs) else None.

Definition htable (parts : seq (nat * Z)) (len : nat) : seq (option Z) :=
  iter len (fun hs => hnext parts hs :: hs) [:: Some 1%bZ].

Variables (R : realFieldType) (L : Z) (parts : seq (nat * Z)).
Hypotheses (Tn_gt0 : (0 <? Tn)%bZ) (Td_gt0 : (0 <? Td)%bZ) (n_ge3 : (2 <? n)%bZ).
Hypothesis ok : parts_ok L parts.

Let T : R := ztau R Tn Td.
Let l := zr R L.

Let zTd_gt0 : 0 < zr R Td. Proof. exact: zr_gt0. Qed.
Let T_gt0 : 0 < T. Proof. by rewrite divr_gt0 //; apply: zr_gt0. Qed.

Let l_gt0 : 0 < l.
Proof. by have /andP[L_gt0 _] := ok; apply: zr_gt0. Qed.

Let gn (N : nat) := g N T.

Lemma zr_exp x k : zr R (x ^ Z.of_nat k)%bZ = zr R x ^+ k.
Proof.
elim: k => [|k IHk]; first by rewrite expr0.
by rewrite Nat2Z.inj_succ Z.pow_succ_r ?zrM ?IHk ?exprS //; lia.
Qed.

Variable N : nat.
Hypothesis n_eq : n = Z.of_nat N.

Let N_gt2 : (2 < N)%N. Proof. lia. Qed.

Lemma part_lt j : (Tn <? Z.of_nat j * Td)%bZ -> T < j%:R.
Proof. by move=> lt_j; rewrite ltr_pdivr_mulr // -zr_nat -zrM; apply: zr_lt. Qed.

Lemma part_bound jw : jw \in parts ->
  [/\ (0 < jw.1)%N, T < jw.1%:R & gn N jw.1 * l ^+ jw.1 <= zr R jw.2].
Proof.
case: jw => j w j_in; have /andP[_ /allP/(_ _ j_in)/and3P[/= j_gt0 lt_j le_w]] := ok.
have T_lt := part_lt lt_j; split=> //; rewrite /gn /g mulrAC ler_pdivr_mulr.
  have eT : T * zr R Td = zr R Tn by rewrite divfK ?gt_eqF.
  rewrite -(ler_pmul2r zTd_gt0) mulrAC eT -zr_exp -zrM -!mulrA.
  have -> : (N - 2)%N%:R * ((j%:R - T) * zr R Td) = zr R (part_den j).
    by rewrite mulrBl eT /part_den zrM !zrB zrM zr_nat n_eq zr_nat (natrB _ (ltnW N_gt2)).
  by rewrite -zrM; apply: zr_le.
by rewrite mulr_gt0 ?subr_gt0 // ltr0n subn_gt0.
Qed.

Lemma pmap_mem (A B : eqType) (f : A -> option B) s b :
  b \in pmap f s -> exists2 a, a \in s & f a = Some b.
Proof.
elim: s => //= a s IHs; case def_f: (f a) => [b'|] /=.
  rewrite inE => /predU1P[->|/IHs[a' a'_in fa']]; first by exists a; rewrite ?mem_head.
  by exists a'; rewrite // inE a'_in orbT.
by case/IHs=> a' a'_in fa'; exists a'; rewrite // inE a'_in orbT.
Qed.

Lemma foldr_min_mem c cs : foldr Z.min c cs \in c :: cs.
Proof.
elim: cs => [|d cs IHcs] /=; first exact: mem_head.
rewrite /Z.min; case: (_ ?= _)%bZ; rewrite ?inE ?eqxx ?orbT //.
by move: IHcs; rewrite inE => /predU1P[->|->]; rewrite ?eqxx ?orbT.
Qed.

Definition hbounded s (v : Z) : Prop :=
  (s = 0%N \/ T < s%:R) /\ hmin T (gn N) s * l ^+ s <= zr R v.

Lemma htable_bounded len i v :
  nth None (htable parts len) i = Some v -> (i <= len)%N /\ hbounded (len - i) v.
Proof.
elim: len i v => [|len IHlen] [|i] v /=.
- by move=> [<-]; split=> //; split; [left | rewrite hmin0 expr0 mulr1].
- by rewrite nth_nil.
- rewrite /hnext; case def_c: (hcands _ _) => [//|c cs] [def_v]; split=> //.
  have := foldr_min_mem c cs; rewrite def_v -def_c => /pmap_mem[[j w] jw_in].
  have [/= j_gt0 T_lt le_w] := part_bound jw_in.
  case def_h: (nth _ _ _) => [u|//] [<-]; have [j_le [dom_u le_u]] := IHlen _ _ def_h.
  have eq_s : (len.+1 - j)%N = (len - j.-1)%N by move: j_gt0; clear; lia.
  have s_ge : (j <= len.+1)%N by move: j_le; clear; lia.
  rewrite subn0; split.
    by right; apply: lt_le_trans T_lt _; rewrite ler_nat.
  rewrite zrM -{2}(subnKC s_ge) exprD.
  case: dom_u => [s0|T_lt_s].
    have j_eq : j = len.+1 by move: s0 s_ge j_gt0; clear; lia.
    rewrite s0 expr0 mulr1 hmin0 in le_u; rewrite eq_s s0 expr0 mulr1 -j_eq.
    apply: (@le_trans _ _ (gn N j * l ^+ j)).
      by rewrite ler_pmul2r ?exprn_gt0 ?hmin_le_step.
    apply: (le_trans le_w).
    by rewrite ler_pemulr // (le_trans _ le_w) // mulr_ge0 ?exprn_ge0 ?ltW // g_gt0.
  apply: (@le_trans _ _ ((gn N j * hmin T (gn N) (len.+1 - j)) * (l ^+ j * l ^+ (len.+1 - j)))).
    rewrite ler_pmul2r ?mulr_gt0 ?exprn_gt0 // hmin_le_mul //.
    by rewrite eq_s.
  rewrite mulrACA; apply: ler_pmul => //; last by rewrite eq_s.
    by apply: mulr_ge0; [apply/ltW/g_gt0 | apply/ltW/exprn_gt0].
  apply: mulr_ge0; last exact/ltW/exprn_gt0.
  by apply/ltW/hmin_gt0; rewrite ?eq_s // => r T_r; apply: g_gt0.
by move=> /IHlen[i_le bnd]; rewrite subSS.
Qed.

End Table.
