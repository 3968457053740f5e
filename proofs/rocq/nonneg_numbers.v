(******************************************************************************)
(* L9 with numbers, tolerance 1/2, every m.                                   *)
(*   nonneg_exponential_three : length 3, 1.3056^m <= 25 (m+1)^3 D            *)
(******************************************************************************)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import linalg defs rates decay family layer exponential nonneg fractions.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Numbers.
Variables (R : realFieldType) (m n D : nat) (causal self : bool) (K : pkernel R m n.+1).
Let half : R := 2%:R^-1.
Hypotheses (m_gt0 : (0 < m)%N) (n_gt1 : (1 < n)%N).
Hypothesis solK : solves causal self half K inner.
Hypothesis featK : has_nonneg_pfeatures D K.

Let half_gt0 : 0 < half. Proof. by rewrite invr_gt0 ltr0n. Qed.
Let half_lt1 : half < 1. Proof. by rewrite invf_lt1 ?ltr0n ?ltr1n. Qed.

Variables c u z b : R.
Hypotheses (u_gt0 : 0 < u) (u_le1 : u <= 1) (z_gt0 : 0 < z) (z_le : z <= u ^+ 2).

Lemma h_le_two s : g n.+1 half 1 <= c * u ^+ 2 -> g n.+1 half 2 <= (u ^+ 2) ^+ 2 ->
  1 <= c -> h n.+1 half s <= c * (u ^+ 2) ^+ s.
Proof.
move=> g1 g2 c_ge1; apply: (@hmin_le_exp _ _ _ 2) => // [r||[|[|]]//].
- exact: g_gt0.
- exact: exprn_gt0.
- by rewrite expr0 mulr1.
by move=> _; rewrite expr1; apply: le_trans (hmin_le_step _ half_gt0 _) g1.
Qed.

Lemma base_bound p q e : (forall s, h n.+1 half s <= c * (u ^+ 2) ^+ s) ->
    (0 < q)%N -> (p.*2 <= q)%N -> 0 <= b -> 0 <= c ->
    (u ^+ 2) ^+ p * (b * (1 + u)) ^+ q <= 2%:R ^+ q ->
    (u ^+ 2 / z) ^+ p * (b * (1 + z)) ^+ q <= 2%:R ^+ q ->
    4%:R * (c ^+ 2 / u ^+ 2) + 2%:R * c <= e%:R ->
  b ^+ m <= (e * m.+1 ^ 3 * D)%:R.
Proof.
move=> hn_le q_gt0 p_le b_ge0 c_ge0 near far e_ge.
have := nonneg_exponential_base m_gt0 n_gt1 half_gt0 half_lt1 solK featK
  u_gt0 u_le1 z_gt0 z_le hn_le q_gt0 p_le b_ge0 near far.
move=> /le_trans; apply; have := divr_ge0 (exprn_ge0 2 c_ge0) (exprn_ge0 2 (ltW u_gt0)).
move: (c ^+ 2 / _) e_ge => d e_ge d_ge0.
have -> : (e * m.+1 ^ 3 * D = m.+1 * D * (e * m.+1 ^ 2))%N.
  by rewrite expnS; move: (m.+1 ^ 2)%N => J2; clear; nia.
rewrite [X in _ <= X]natrM ler_wpmul2l ?ler0n // [X in _ <= X]natrM.
apply: (@le_trans _ _ ((4%:R * d + 2%:R * c) * (m.+1 ^ 2)%:R)); last by rewrite ler_wpmul2r ?ler0n.
have -> : (2 * m.+1)%:R ^+ 2 * d = 4%:R * d * (m.+1 ^ 2)%:R.
  by rewrite -natrX expnMn natrM mulrAC.
rewrite mulrDl ler_add2l natrM mulrAC.
rewrite ler_wpmul2l ?ler_nat ?(mulr_ge0 _ c_ge0) ?ler0n //.
by rewrite -[X in (X <= _)%N]expn1 leq_pexp2l.
Qed.

End Numbers.

(* Length three: 816/625 = 1.3056, the distance is 24 m / 95.                 *)
Section LengthThree.
Variables (R : realFieldType) (m D : nat) (causal self : bool) (K : pkernel R m 3).
Hypothesis m_gt0 : (0 < m)%N.
Hypothesis solK : solves causal self 2%:R^-1 K inner.
Hypothesis featK : has_nonneg_pfeatures D K.

Theorem nonneg_exponential_three : (816%:R / 625%:R) ^+ m <= (25 * m.+1 ^ 3 * D)%:R :> R.
Proof.
rewrite -[_ / _]/(frac R 816 625); pose u := frac R 193 254; pose z := frac R 24 71.
pose c := frac R 64516 37249.
have u_gt0 : 0 < u by apply: frac_gt0.
have yE : u ^+ 2 = frac R 37249 64516 by rewrite fracX.
have g1 : g 3 2%:R^-1 1 = frac R 1 1 by rewrite -frac1 /g -[(3 - 2)%N]/1%N; field.
have g2 : g 3 2%:R^-1 2 = frac R 1 3.
  by rewrite -[frac R 1 3]/(1%:R / 3%:R) /g -[(3 - 2)%N]/1%N; field.
have near : frac R 816 625 * (1 + u) = frac R (816 * (254 + 193)) (625 * 254).
  by rewrite (@frac1D R 193 254 isT); apply: fracM.
have far : frac R 816 625 * (1 + z) = frac R (816 * (71 + 24)) (625 * 71).
  by rewrite (@frac1D R 24 71 isT); apply: fracM.
have yzE : u ^+ 2 / z = frac R (37249 * 71) (64516 * 24) by rewrite yE fracV; apply: fracM.
apply: (base_bound m_gt0 _ solK featK (c := c) u_gt0 _ (z := z) _ _ _ (p := 24) (q := 95)).
- by [].
- by rewrite (frac1 R); apply: frac_le.
- exact: frac_gt0.
- by rewrite yE; apply: frac_le.
- move=> s; apply: h_le_two; rewrite ?g1 ?g2 ?yE ?(frac1 R).
  + by [].
  + exact: u_gt0.
  + by rewrite fracM; apply: frac_le.
  + by rewrite fracX; apply: frac_le.
  + by apply: frac_le.
- by [].
- by [].
- exact: frac_ge0.
- exact: frac_ge0.
- by rewrite yE near; apply: (@frac_powM_le R _ _ _ _ 2 24 95); vm_compute.
- by rewrite yzE far; apply: (@frac_powM_le R _ _ _ _ 2 24 95); vm_compute.
have -> : c ^+ 2 / u ^+ 2 = c ^+ 3 by rewrite yE fracV [RHS]exprSr.
have -> : 25%:R = frac R 43 2 + frac R 7 2.
  by rewrite /frac -mulrDl -natrD -[(_ + _)%N]/(25 * 2)%N natrM mulfK ?pnatr_eq0.
apply: ler_add; first by rewrite (frac_nat R 4) fracX fracM; apply: frac_le; vm_compute.
by rewrite (frac_nat R 2) fracM; apply: frac_le; vm_compute.
Qed.

End LengthThree.
