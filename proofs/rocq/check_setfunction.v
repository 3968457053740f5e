(******************************************************************************)
(* Kernel certificates K(q,a) = F(q \ a): the query of all ones decides.      *)
(*   setfunction_row   : a row of the query of all ones that passes the test  *)
(*                       gives all other rows                                 *)
(*   trie, teval       == terms [mask, weight] as a binary tree, and their    *)
(*                       sum over the masks inside a token                    *)
(*   trie_extremes     == the least and the largest sum over the tokens of    *)
(*                       each size                                            *)
(*   check_setfunction : terms, a feature for each; check_setfunction_sound   *)
(*   check_expanded    : K = x^t with 2^m features (C3); check_expanded_sound *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay products check_base check_levels.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section AllOnes.
Variables (m : nat) (n tn td : Z) (self : bool) (F : token m -> Z).

Lemma dotTC (A : token m) : dot [set: 'I_m] (~: A) = (m - #|A|)%N.
Proof. by rewrite /dot setTI cardsCs setCK card_ord. Qed.

Lemma setfunction_row :
    good_row n tn td self [set: 'I_m] (fun a => F (~: a)) ->
  forall q, good_row n tn td self q (fun a => F (q :\: a)).
Proof.
case=> F_ge0 neg q; split=> [a|]; first by have := F_ge0 (~: (q :\: a)); rewrite setCK.
case: ifP neg => [_ [self_on]|_ neg a]; first by rewrite setDv setCT.
have [M M_ge sum_lt0] := neg (~: (q :\: a)); rewrite dotTC in M_ge sum_lt0.
have cardD b : (#|q :\: b| + dot q b = #|q|)%N by rewrite card_setD_dot subnK ?dot_le.
have eq_contribution b : (dot q a <= dot q b)%N ->
    contribution tn td q (fun b => F (q :\: b)) (dot q a) b =
    contribution tn td [set: 'I_m] (fun b => F (~: b)) (m - #|q :\: a|) (~: (q :\: b)).
  move=> le_ab; rewrite /contribution setCK dotTC; congr (_ * (_ * _ - _))%bZ.
  have := card_token_le (q :\: a); have := card_token_le (q :\: b).
  by have := cardD a; have := cardD b; clear; lia.
exists M => [b le_ab|].
  rewrite eq_contribution //; apply: M_ge; rewrite dotTC.
  by have := cardD a; have := cardD b; move: le_ab; clear; lia.
rewrite !eq_contribution ?dotxx ?dot_le //; move: sum_lt0; congr (_ + _ < _)%bZ.
by rewrite setDv setC0.
Qed.

End AllOnes.

(* The masks of a node go left without its first coordinate, right with it.   *)
Inductive trie := Empty | Leaf of Z | Node of trie & trie.

Definition troot t : Z := if t is Leaf w then w else 0%bZ.
Definition tleft t : trie := if t is Node l _ then l else Empty.
Definition tright t : trie := if t is Node _ r then r else Empty.

Fixpoint teval (s : seq bool) (t : trie) : Z :=
  if s is b :: s' then (teval s' (tleft t) + (if b then teval s' (tright t) else 0))%bZ
  else troot t.

Fixpoint tadd (t t' : trie) : trie :=
  match t, t' with
  | Node l r, Node l' r' => Node (tadd l l') (tadd r r')
  | Leaf w, Leaf w' => Leaf (w + w')%bZ
  | Empty, _ => t'
  | _, _ => t
  end.

Fixpoint has_depth (m : nat) (t : trie) {struct t} : bool :=
  match t, m with
  | Empty, _ => true
  | Leaf _, 0%N => true
  | Node l r, m'.+1 => has_depth m' l && has_depth m' r
  | _, _ => false
  end.

Fixpoint tterms (t : trie) : seq (seq bool * Z) :=
  match t with
  | Empty => [::]
  | Leaf w => [:: ([::], w)]
  | Node l r => [seq (false :: p.1, p.2) | p <- tterms l] ++
                [seq (true :: p.1, p.2) | p <- tterms r]
  end.

Fixpoint tsize (t : trie) : Z :=
  match t with Empty => 0%bZ | Leaf _ => 1%bZ | Node l r => (tsize l + tsize r)%bZ end.

Fixpoint tnonneg (t : trie) : bool :=
  match t with Empty => true | Leaf w => (0 <=? w)%bZ | Node l r => tnonneg l && tnonneg r end.

Definition join (e e' : option (Z * Z)) : option (Z * Z) :=
  match e, e' with
  | Some lh, Some lh' => Some (Z.min lh.1 lh'.1, Z.max lh.2 lh'.2)
  | None, _ => e'
  | _, None => e
  end.

Fixpoint joins (es es' : seq (option (Z * Z))) : seq (option (Z * Z)) :=
  match es, es' with
  | e :: es1, e' :: es1' => join e e' :: joins es1 es1'
  | [::], _ => es'
  | _, [::] => es
  end.

Fixpoint trie_extremes (m : nat) (t : trie) {struct m} : seq (option (Z * Z)) :=
  if m is m'.+1 then
    joins (trie_extremes m' (tleft t)) (None :: trie_extremes m' (tadd (tleft t) (tright t)))
  else [:: Some (troot t, troot t)].

Lemma tsizeE t : tsize t = Z.of_nat (size (tterms t)).
Proof. by elim: t => //= l -> r ->; rewrite size_cat !size_map; lia. Qed.

Lemma tnonnegP t p : tnonneg t -> p \in tterms t -> (0 <=? p.2)%bZ.
Proof.
elim: t p => [|w|l IHl r IHr] p //=; first by move=> w_ge0; rewrite inE => /eqP->.
case/andP=> l_ge0 r_ge0; rewrite mem_cat => /orP[] /mapP[p' p'_in ->] /=.
  exact: IHl.
exact: IHr.
Qed.

Lemma has_depth_children m t : has_depth m.+1 t -> has_depth m (tleft t) && has_depth m (tright t).
Proof. by case: t => //=. Qed.

Lemma has_depth_tadd m t t' : has_depth m t -> has_depth m t' -> has_depth m (tadd t t').
Proof.
elim: m t t' => [|m IHm] [|w|l r] [|w'|l' r'] //= /andP[dl dr] /andP[dl' dr'].
by rewrite !IHm.
Qed.

Lemma teval_tadd s t t' : has_depth (size s) t -> has_depth (size s) t' ->
  teval s (tadd t t') = (teval s t + teval s t')%bZ.
Proof.
have teval0 s' : teval s' Empty = 0%bZ by elim: s' => //= b s' ->; case: b.
elim: s t t' => [|b s IHs]; first by move=> [|w|l r] [|w'|l' r'] //= _ _; rewrite Z.add_0_r.
move=> [|w|l r] [|w'|l' r'] //=; rewrite ?teval0 ?if_same ?Z.add_0_r //.
by move=> /andP[dl dr] /andP[dl' dr']; rewrite !IHs //; case: b; lia.
Qed.

Lemma nth_joins es es' u : nth None (joins es es') u = join (nth None es u) (nth None es' u).
Proof.
elim: es es' u => [|e es IHes] [|e' es'] [|u] //=; rewrite ?nth_nil //.
- by case: e.
by case: nth.
Qed.

Lemma join_within e e' v :
    (exists2 lh, e = Some lh & within v lh) \/ (exists2 lh, e' = Some lh & within v lh) ->
  exists2 lh, join e e' = Some lh & within v lh.
Proof.
case=> -[lh -> v_in].
  case: e' => [lh'|]; last by exists lh.
  by eexists; [by [] | move: v_in; rewrite /within /=; lia].
case: e => [lh'|]; last by exists lh.
by eexists; [by [] | move: v_in; rewrite /within /=; lia].
Qed.

Lemma trie_extremesP m t s : has_depth m t -> size s = m ->
  exists2 lh, nth None (trie_extremes m t) (count id s) = Some lh & within (teval s t) lh.
Proof.
elim: m t s => [|m IHm] t [|b s] //= => [_ _|/has_depth_children/andP[dl dr] [size_s]].
  by eexists; first by []; rewrite /within !Z.leb_refl.
rewrite nth_joins; apply: join_within; case: b => /=.
  by right; rewrite -teval_tadd ?size_s //; apply: IHm => //; apply: has_depth_tadd.
by left; rewrite Z.add_0_r; apply: IHm.
Qed.

Lemma size_trie_extremes m t : size (trie_extremes m t) = m.+1.
Proof.
have size_joins es es' : size (joins es es') = maxn (size es) (size es').
  by elim: es es' => [|e es IHes] [|e' es'] //=; rewrite IHes maxnSS.
elim: m t => //= m IHm t; rewrite size_joins /= !IHm.
by apply/maxn_idPr; apply: leqnSn.
Qed.

(* Masks inside a token, and disjoint from it. *)
Definition inside (mask s : seq bool) : bool := all (fun p => p.1 ==> p.2) (zip mask s).
Definition apart (mask s : seq bool) : bool := all (fun p => ~~ (p.1 && p.2)) (zip mask s).

Lemma inside_setD m mask (q a : token m) :
  inside mask (bits (q :\: a)) = inside mask (bits q) && apart mask (bits a).
Proof.
rewrite /inside /apart /bits; elim: (enum 'I_m) mask => [|i e IHe] [|b mask] //=.
by rewrite IHe inE; case: b (i \in a) (i \in q) => -[] [] //=; rewrite andbF.
Qed.

Lemma teval_terms (R : realFieldType) s t : has_depth (size s) t ->
  zr R (teval s t) = \sum_(p <- tterms t) zr R p.2 * (inside p.1 s)%:R.
Proof.
have teval0 s' : teval s' Empty = 0%bZ by elim: s' => //= b s' ->; case: b.
elim: s t => [|b s IHs] [|w|l r] //=; rewrite ?teval0 ?big_nil ?big_seq1 ?mulr1 //.
  by case: b.
case/andP=> dl dr; rewrite big_cat !big_map zrD IHs //=; congr (_ + _).
case: b => /=; first by rewrite IHs.
by rewrite zr0 big1 // => p _; rewrite mulr0.
Qed.

Section AllOnesTest.
Variables (m : nat) (n tn td : Z) (self : bool) (F : token m -> Z).
Variable exts : seq (option (Z * Z)).
Hypothesis exts_ok : forall A : token m,
  exists2 lh, nth None exts (m - #|A|) = Some lh & within (F A) lh.
Hypothesis test : check_levels n tn td self (F set0) (Z.of_nat m) exts.

Lemma setfunction_good q : good_row n tn td self q (fun a => F (q :\: a)).
Proof.
apply: setfunction_row; apply: (check_levelsP (exts := exts)) => [a|].
  by have := exts_ok (~: a); rewrite -dotTC setCK.
by rewrite setCT cardsT card_ord.
Qed.

End AllOnesTest.

Record setfunction_cert := SetfunctionCert {
  sc_m : nat; sc_n : Z; sc_tn : Z; sc_td : Z; sc_self : bool; sc_signed : bool;
  sc_value : Z; sc_terms : trie }.

Section Checker.
Variable c : setfunction_cert.
Let m := sc_m c.
Let t := sc_terms c.

Definition check_setfunction : bool :=
  [&& (0 <? sc_tn c)%bZ, (0 <? sc_td c)%bZ, has_depth m t, (tsize t <=? sc_value c)%bZ,
      sc_signed c || tnonneg t &
      check_levels (sc_n c) (sc_tn c) (sc_td c) (sc_self c) (teval (nseq m false) t) (Z.of_nat m)
        (rev (trie_extremes m t))].

Lemma trie_features (R : realFieldType) : has_depth m t -> sc_signed c || tnonneg t ->
  sfeatures (sc_signed c) (size (tterms t)) (fun q a : token m => zr R (teval (bits (q :\: a)) t)).
Proof.
move=> depth_t nonneg_t; rewrite -[size _]card_ord -cardsT.
pose term (i : 'I_(size (tterms t))) := nth ([::], 0%bZ) (tterms t) i.
apply: (@sfeatures_sum R m _ _ _ (fun i q => zr R (term i).2 * (inside (term i).1 (bits q))%:R)
          (fun i a => (apart (term i).1 (bits a))%:R)) => [|q a].
  case: (sc_signed c) nonneg_t => [|/= t_ge0]; [by left | right; split=> [i q|i a]].
    by rewrite mulr_ge0 ?ler0n ?zr_ge0 // (tnonnegP t_ge0) // mem_nth.
  exact: ler0n.
rewrite teval_terms ?size_bits // (big_nth ([::], 0%bZ)) big_mkord.
by apply: eq_big => [i|i _]; rewrite ?inE // inside_setD -mulrA -natrM mulnb.
Qed.

Theorem check_setfunction_sound n : check_setfunction -> sc_n c = Z.of_nat n ->
  upper_bound m n (sc_tn c) (sc_td c) (sc_self c) (sc_signed c) (Z.to_nat (sc_value c)).
Proof.
case/and5P=> tn_gt0 td_gt0 depth_t le_v /andP[nonneg_t test] n_eq R causal n' def_n.
pose F (A : token m) := teval (bits A) t; rewrite n_eq def_n in test.
have bits0 : bits (set0 : token m) = nseq m false.
  apply: (@eq_from_nth _ false); rewrite size_bits ?size_nseq // => i i_lt.
  by rewrite nth_nseq i_lt (nth_map (Ordinal i_lt)) ?size_enum_ord // inE.
have good q : good_row (Z.of_nat n'.+1) (sc_tn c) (sc_td c) (sc_self c) q (fun a => F (q :\: a)).
  apply: (setfunction_good (exts := rev (trie_extremes m t))); last by rewrite /F bits0.
  move=> A; rewrite nth_rev size_trie_extremes ?ltnS ?leq_subr // subSS subKn ?card_token_le //.
  have := trie_extremesP depth_t (size_bits A).
  by rewrite -(@card_tok m) ?size_bits // bitsK.
exists (fun q a => zr R (F (q :\: a))); split.
- exact: rows_ge0 good.
- exact: rows_solve good.
apply: sfeatures_le (trie_features R depth_t nonneg_t).
by move: le_v; rewrite tsizeE; lia.
Qed.

End Checker.

(* C3: x^t with x = xn / xd, row q times xd^|q| xn^(m - |q|).                  *)
Section Expanded.
Variables (m : nat) (n tn td xn xd value : Z) (self signed : bool).

Definition power_sum (u : nat) : Z := (xd ^ Z.of_nat u * xn ^ Z.of_nat (m - u))%bZ.

Definition check_expanded : bool :=
  [&& (0 <? tn)%bZ, (0 <? td)%bZ, (2 ^ Z.of_nat m <=? value)%bZ &
      check_levels n tn td self (power_sum 0) (Z.of_nat m)
        [seq Some (power_sum (m - t), power_sum (m - t)) | t <- iota 0 m.+1]].

Theorem check_expanded_sound N : check_expanded -> n = Z.of_nat N ->
  upper_bound m N tn td self signed (Z.to_nat value).
Proof.
case/and4P=> tn_gt0 td_gt0 le_v test n_eq R causal n' def_n; rewrite n_eq def_n in test.
pose F (A : token m) := power_sum #|A|.
have good q : good_row (Z.of_nat n'.+1) tn td self q (fun a => F (q :\: a)).
  apply: (setfunction_good _ (F := F)); last by rewrite /F cards0; apply: test.
  move=> A; rewrite (nth_map 0%N) ?size_iota ?ltnS ?leq_subr // nth_iota ?ltnS ?leq_subr //.
  rewrite add0n subKn ?card_token_le //; eexists; first by [].
  by rewrite /within !Z.leb_refl.
exists (fun q a => zr R (F (q :\: a))); split.
- exact: rows_ge0 good.
- exact: rows_solve good.
have full := nonneg_features_full (rows_ge0 R good).
have le_D : (2 ^ m <= Z.to_nat value)%N.
  move: le_v; have -> : (2 ^ Z.of_nat m)%bZ = Z.of_nat (2 ^ m)%N.
    by elim: (m) => // k IHk; rewrite Nat2Z.inj_succ Z.pow_succ_r ?IHk ?expnS; lia.
  by clear; lia.
apply: sfeatures_le le_D _; rewrite /sfeatures; case: signed => //.
exact: nonneg_features_features.
Qed.

End Expanded.
