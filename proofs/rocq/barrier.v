(******************************************************************************)
(* B1, one coordinate: the barrier for product features.                      *)
(* A random rank-one matrix (r00, r01; r10, r11) with mean (1, 1; 1, x),      *)
(* second moments at most c mean^2 and values at most c mean in modulus has   *)
(* c >= 2 - x.  The probability space is finite, with weights w.              *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra ring.
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
