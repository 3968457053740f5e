(******************************************************************************)
(* B1: the barrier for product features.                                      *)
(*   product_barrier : one coordinate                                         *)
(*   tensor i q a    == the product over the coordinates j of u v, a random   *)
(*                      tensor-product feature; i j is drawn with weights w j *)
(*   tensor_mean     : with means 1, 1, 1, x it has the mean x^<q,a>          *)
(*   average_mean, average_features : so has the average of F independent     *)
(*                      copies, which has F features                          *)
(*   barrier         : coordinatewise concentration with constants c_j whose  *)
(*                      product is at most F forces F >= (2 - x)^m            *)
(* One coordinate:                                                            *)
(* A random rank-one matrix (r00, r01; r10, r11) with mean (1, 1; 1, x),      *)
(* second moments at most c mean^2 and values at most c mean in modulus has   *)
(* c >= 2 - x.  The probability space is finite, with weights w.              *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra ring.
From KattnBounds Require Import defs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Barrier.
Variables (R : realFieldType) (I : finType) (w : I -> R) (c x : R).
Variables r00 r01 r10 r11 : I -> R.
Hypotheses (w_ge0 : forall i, 0 <= w i) (w_sum : \sum_i w i = 1).
Hypotheses (c_gt0 : 0 < c) (x_gt0 : 0 < x).

Definition mean (f : I -> R) : R := \sum_i w i * f i.

Hypothesis rank_one : forall i, r00 i * r11 i = r01 i * r10 i.
Hypotheses (mean01 : mean r01 = 1) (mean10 : mean r10 = 1).
Hypotheses (sq00 : mean (fun i => r00 i ^+ 2) <= c)
           (sq11 : mean (fun i => r11 i ^+ 2) <= c * x ^+ 2).
Hypotheses (le01 : forall i, r01 i <= c) (le10 : forall i, r10 i <= c).

Let pointwise i :
  2%:R * c * (r01 i + r10 i) <= 2%:R * c ^+ 2 + x * r00 i ^+ 2 + x^-1 * r11 i ^+ 2.
Proof.
have prod_ge0 : 0 <= (c - r01 i) * (c - r10 i) by rewrite mulr_ge0 ?subr_ge0.
have sq_ge0 : 0 <= x^-1 * (x * r00 i - r11 i) ^+ 2 by rewrite mulr_ge0 ?sqr_ge0 ?invr_ge0 ?ltW.
have xV : x^-1 * x = 1 by rewrite mulVf ?gt_eqF.
rewrite -subr_ge0; have -> : 2%:R * c ^+ 2 + x * r00 i ^+ 2 + x^-1 * r11 i ^+ 2 -
    2%:R * c * (r01 i + r10 i) =
    2%:R * ((c - r01 i) * (c - r10 i)) + x^-1 * (x * r00 i - r11 i) ^+ 2.
  have -> : x^-1 * (x * r00 i - r11 i) ^+ 2 =
            x^-1 * x * (x * r00 i ^+ 2) - x^-1 * x * (2%:R * (r00 i * r11 i)) + x^-1 * r11 i ^+ 2.
    by ring.
  by rewrite xV rank_one; ring.
by rewrite addr_ge0 // mulr_ge0 ?ler0n.
Qed.

(* B1. *)
Theorem product_barrier : 2%:R - x <= c.
Proof.
have sum_le : \sum_i w i * (2%:R * c * (r01 i + r10 i)) <=
    \sum_i w i * (2%:R * c ^+ 2 + x * r00 i ^+ 2 + x^-1 * r11 i ^+ 2).
  by apply: ler_sum => i _; rewrite ler_wpmul2l.
have lhs : \sum_i w i * (2%:R * c * (r01 i + r10 i)) = 2%:R * c * (mean r01 + mean r10).
  by rewrite /mean -big_split mulr_sumr; apply: eq_bigr => i _ /=; ring.
have rhs : \sum_i w i * (2%:R * c ^+ 2 + x * r00 i ^+ 2 + x^-1 * r11 i ^+ 2) =
    2%:R * c ^+ 2 * (\sum_i w i) + x * mean (fun i => r00 i ^+ 2) +
    x^-1 * mean (fun i => r11 i ^+ 2).
  rewrite /mean !mulr_sumr -!big_split; apply: eq_bigr => i _ /=; ring.
rewrite lhs rhs mean01 mean10 w_sum mulr1 in sum_le.
have : 2%:R * c * (1 + 1) <= 2%:R * c ^+ 2 + x * c + x^-1 * (c * x ^+ 2).
  apply: le_trans sum_le _; apply: ler_add; first apply: ler_add => //.
    by rewrite ler_pmul2l.
  by rewrite ler_pmul2l ?invr_gt0.
have -> : x^-1 * (c * x ^+ 2) = x * c by rewrite expr2 mulrCA mulKf ?gt_eqF // mulrC.
have -> : 2%:R * c * (1 + 1) = 2%:R * c * 2%:R by [].
have -> : 2%:R * c ^+ 2 + x * c + x * c = 2%:R * c * (c + x) by ring.
by rewrite ler_pmul2l ?mulr_gt0 ?ltr0n // -ler_subl_addr.
Qed.

End Barrier.

(* A sum over a product space, coordinate by coordinate. *)
Lemma sum_prod (R : comRingType) (J I : finType) (F : J -> I -> R) :
  \sum_(i : {ffun J -> I}) \prod_j F j (i j) = \prod_j \sum_i F j i.
Proof. by rewrite bigA_distr_bigA. Qed.

Section Tensor.
Variables (R : realFieldType) (m : nat) (I : finType).
Variables (w : 'I_m -> I -> R) (u v : 'I_m -> I -> bool -> R) (x : R).
Hypotheses (w_ge0 : forall j i, 0 <= w j i) (w_sum : forall j, \sum_i w j i = 1).

(* The mean of an entry of the kernel x^<q,a> in one coordinate. *)
Definition entry (b b' : bool) : R := if b && b' then x else 1.

Definition factor j b b' i : R := u j i b * v j i b'.

Hypothesis mean_factor : forall j b b', mean (w j) (factor j b b') = entry b b'.

Definition tensor (i : {ffun 'I_m -> I}) (q a : token m) : R :=
  \prod_j factor j (j \in q) (j \in a) (i j).

Definition weight (i : {ffun 'I_m -> I}) : R := \prod_j w j (i j).

Lemma weight_sum : \sum_i weight i = 1.
Proof. by rewrite sum_prod big1. Qed.

Lemma prod_entry (q a : token m) : \prod_j entry (j \in q) (j \in a) = x ^+ dot q a.
Proof.
rewrite -big_mkcond -prodr_const; apply: eq_bigl => j.
by rewrite !inE.
Qed.

Theorem tensor_mean q a : mean weight (fun i => tensor i q a) = x ^+ dot q a.
Proof.
rewrite /mean -prod_entry; under eq_bigr do rewrite -big_split.
rewrite (sum_prod (fun j i => w j i * factor j _ _ i)); apply: eq_bigr => j _.
exact: mean_factor.
Qed.

(* The average of F independent copies. *)
Section Average.
Variable F : nat.
Hypothesis F_gt0 : (0 < F)%N.
Implicit Type k : {ffun 'I_F -> {ffun 'I_m -> I}}.

Definition average k : kernel R m := fun q a => F%:R^-1 * \sum_f tensor (k f) q a.

Theorem average_mean q a :
  mean (fun k => \prod_f weight (k f)) (fun k => average k q a) = x ^+ dot q a.
Proof.
have copy f : \sum_(k : {ffun 'I_F -> {ffun 'I_m -> I}})
    (\prod_g weight (k g)) * tensor (k f) q a = x ^+ dot q a.
  pose G g i : R := weight i * (if g == f then tensor i q a else 1).
  transitivity (\prod_g \sum_i G g i).
    rewrite -sum_prod; apply: eq_bigr => k _; rewrite big_split; congr (_ * _).
    by rewrite -big_mkcond big_pred1_eq.
  have G1 g : g != f -> \sum_i G g i = 1.
    move=> /negbTE g_neq; rewrite -[RHS]weight_sum.
    by apply: eq_bigr => i _; rewrite /G g_neq mulr1.
  rewrite (bigD1 f) //= [X in _ * X]big1 // mulr1 -(tensor_mean q a).
  by apply: eq_bigr => i _; rewrite /G eqxx.
rewrite /mean /average; under eq_bigr do rewrite mulrCA mulr_sumr.
rewrite -mulr_sumr exchange_big; under eq_bigr do rewrite copy.
by rewrite sumr_const card_ord -[(x ^+ _) *+ F]mulr_natl mulKf // pnatr_eq0 -lt0n.
Qed.

Theorem average_features k : has_features F (average k).
Proof.
exists (fun q : token m => \row_f (F%:R^-1 * \prod_j u j (k f j) (j \in q))).
exists (fun a : token m => \row_f \prod_j v j (k f j) (j \in a)) => q a.
rewrite mxE /average mulr_sumr; apply: eq_bigr => f _; rewrite !mxE -mulrA.
by rewrite -big_split.
Qed.

End Average.

(* B1. *)
Theorem barrier (c : 'I_m -> R) (F : R) : 0 < x -> x <= 2%:R ->
    (forall j b b', mean (w j) (fun i => factor j b b' i ^+ 2) <= c j * entry b b' ^+ 2) ->
    (forall j b b' i, `|factor j b b' i| <= c j * entry b b') ->
    \prod_j c j <= F ->
  (2%:R - x) ^+ m <= F.
Proof.
move=> x_gt0 x_le2 sq_le abs_le; apply: le_trans.
rewrite -[X in _ ^+ X]card_ord -prodr_const; apply: ler_prod => j _.
have le_c b b' i : b && b' = false -> factor j b b' i <= c j.
  by move=> bb'; have := abs_le j b b' i; rewrite /entry bb' mulr1 => /(le_trans (ler_norm _)).
have c_gt0 : 0 < c j.
  apply: lt_le_trans ltr01 _; rewrite -[1]/(entry false true) -(mean_factor j).
  rewrite -[c j]mulr1 -(w_sum j) mulr_sumr; apply: ler_sum => i _; rewrite mulrC ler_wpmul2r //.
  exact: le_c.
rewrite subr_ge0 x_le2 /=; apply: (@product_barrier _ _ (w j) (c j) x (factor j false false)
  (factor j false true) (factor j true false) (factor j true true)) => //.
- by move=> i; rewrite /factor; ring.
- exact: mean_factor.
- exact: mean_factor.
- by have := sq_le j false false; rewrite /entry expr1n mulr1.
- by have := sq_le j true true.
- by move=> i; apply: le_c.
- by move=> i; apply: le_c.
Qed.

End Tensor.
