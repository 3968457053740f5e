(******************************************************************************)
(* Pairs with weights (L5), and a matrix of small rank subtracted (L1+).      *)
(* A non-negative kernel K with D features, pairs (q_i, a_i), i < N, weights  *)
(* x_i, y_j >= 0, and bounds H i j of K(q_i,a_j) / K(q_i,a_i) for j != i.     *)
(*   shift_max h b      == the largest modulus of a - b for 0 <= a <= h       *)
(*   shifted_trace      : B of rank at most r is subtracted from the ratios,  *)
(*                        the trace bound with D + r features                 *)
(*   weighted_dominance : sum over j != i of x_i y_j H i j <= x_i y_i gives   *)
(*                        N <= D                                              *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra.
From KattnBounds Require Import linalg defs rates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition shift_max (R : realFieldType) (h b : R) : R := Num.max `|b| `|h - b|.

Lemma shift_maxP (R : realFieldType) (h a b : R) : 0 <= a <= h -> `|a - b| <= shift_max h b.
Proof.
case/andP=> a_ge0 a_le; rewrite /shift_max le_maxr; apply/orP.
have [b_le|a_lt] := leP b a.
  right; rewrite ger0_norm ?subr_ge0 // (le_trans _ (ler_norm _)) //.
  by rewrite ler_add2r.
left; rewrite distrC ger0_norm ?subr_ge0 ?(ltW a_lt) //.
by rewrite (le_trans _ (ler_norm _)) // ler_subl_addr ler_addl.
Qed.

Section Weighted.
Variables (R : realFieldType) (m D N : nat) (K : kernel R m).
Variables (q a : 'I_N -> token m) (H : 'I_N -> 'I_N -> R) (x y : 'I_N -> R).
Hypothesis K_ge0 : forall p b, 0 <= K p b.
Hypothesis K_gt0 : forall i, x i != 0 -> 0 < K (q i) (a i).
Hypothesis featK : has_features D K.
Hypothesis ratio : forall i j, i != j -> x i * y j != 0 ->
  K (q i) (a j) < H i j * K (q i) (a i).

Let A i j : R := K (q i) (a j) / K (q i) (a i).

Let A_ge0 i j : 0 <= A i j. Proof. by rewrite divr_ge0. Qed.

Let A_diag i : x i != 0 -> A i i = 1.
Proof. by move=> xi; rewrite /A divff // gt_eqF // K_gt0. Qed.

Let A_lt i j : i != j -> x i * y j != 0 -> A i j < H i j.
Proof.
move=> ne xy; rewrite ltr_pdivr_mulr ?ratio // K_gt0 //.
by apply: contraNneq xy => ->; rewrite mul0r.
Qed.

Let rank_A : (\rank (\matrix_(i, j) A i j) <= D)%N.
Proof.
have -> : \matrix_(i, j) A i j =
          diag_mx (\row_i (K (q i) (a i))^-1) *m \matrix_(i, j) K (q i) (a j).
  by apply/matrixP => i j; rewrite mul_diag_mx !mxE mulrC.
exact: leq_trans (mxrankM_maxr _ _) (features_rank q a featK).
Qed.

Section Shift.
Variables (r : nat) (B : 'I_N -> 'I_N -> R).
Hypothesis rank_B : (\rank (\matrix_(i, j) B i j) <= r)%N.

Let M : 'M[R]_N := \matrix_(i, j) (x i * y j * (A i j - B i j)).

Lemma shifted_rank : (\rank M <= D + r)%N.
Proof.
have -> : M = diag_mx (\row_i x i) *m (\matrix_(i, j) A i j - \matrix_(i, j) B i j)
              *m diag_mx (\row_j y j).
  by apply/matrixP => i j; rewrite mul_mx_diag mul_diag_mx !mxE mulrAC.
apply: leq_trans (mxrankM_maxl _ _) _; apply: leq_trans (mxrankM_maxr _ _) _.
by apply: leq_trans (mxrank_add _ _) _; rewrite mxrank_opp leq_add.
Qed.

Theorem shifted_trace :
  (\sum_i x i * y i * (1 - B i i)) ^+ 2 <= (D + r)%:R * \sum_i \sum_j
    (x i * y j * (if i == j then 1 - B i i else shift_max (H i j) (B i j))) ^+ 2.
Proof.
have diag i : M i i = x i * y i * (1 - B i i).
  rewrite mxE; have [->|xi] := eqVneq (x i) 0; first by rewrite !mul0r.
  by rewrite A_diag.
have trM : \tr M = \sum_i x i * y i * (1 - B i i) by apply: eq_bigr => i _; rewrite diag.
have := rank_trace M; rewrite trM => /le_trans; apply.
apply: ler_pmul; rewrite ?ler0n ?sqnorm_ge0 ?ler_nat ?shifted_rank //.
apply: ler_sum => i _; apply: ler_sum => j _.
have [<-|ne] := eqVneq i j; first by rewrite diag.
have [xy0|xy] := eqVneq (x i * y j) 0; first by rewrite mxE xy0 !mul0r.
rewrite mxE ![(x i * y j * _) ^+ 2]exprMn; apply: ler_wpmul2l; first exact: sqr_ge0.
rewrite -(real_normK (num_real (A i j - B i j))); apply: ler_expn2r; rewrite ?nnegrE ?normr_ge0 //.
  by rewrite /shift_max le_maxr normr_ge0.
by apply: shift_maxP; rewrite A_ge0 ltW ?A_lt.
Qed.

End Shift.

Theorem weighted_dominance :
    (forall i, 0 <= x i) -> (forall i, 0 <= y i) -> (forall i, 0 < x i * y i) ->
    (forall i, \sum_(j | j != i) x i * y j * H i j <= x i * y i) ->
  (N <= D)%N.
Proof.
move=> x_ge0 y_ge0 xy_gt0 dom; pose B (_ _ : 'I_N) : R := 0.
have rank_B : (\rank (\matrix_(i, j) B i j) <= 0)%N.
  by rewrite leqn0 mxrank_eq0; apply/eqP/matrixP => i j; rewrite !mxE.
have := shifted_rank rank_B; rewrite addn0; apply: leq_trans.
have x_neq0 i : x i != 0 by apply: contraTneq (xy_gt0 i) => ->; rewrite mul0r ltxx.
have y_neq0 i : y i != 0 by apply: contraTneq (xy_gt0 i) => ->; rewrite mulr0 ltxx.
have lt_ij i j : j != i -> x i * y j * A i j < x i * y j * H i j.
  move=> ne; have xy_neq0 : x i * y j != 0 by rewrite mulf_neq0.
  by rewrite ltr_pmul2l ?A_lt // 1?eq_sym // lt_neqAle eq_sym xy_neq0 mulr_ge0.
rewrite (@dominant_full_rank _ _ _) // => i; rewrite [in X in _ < X]mxE subr0 A_diag // mulr1.
under eq_bigr => j _ do
  rewrite mxE subr0 ger0_norm ?(mulr_ge0 (mulr_ge0 (x_ge0 i) (y_ge0 j)) (A_ge0 i j)) //.
rewrite (gtr0_norm (xy_gt0 i)).
have [/existsP[j0 j0_neq]|none] := boolP [exists j, j != i]; last first.
  by rewrite big_pred0 // => j; apply: contraNF none => j_neq; apply/existsP; exists j.
apply: lt_le_trans (dom i); rewrite -subr_gt0 -sumrB.
by apply: (@sumr_gt0 _ _ (fun j => j != i) _ j0) => // j j_neq; rewrite subr_gt0 lt_ij.
Qed.

End Weighted.
