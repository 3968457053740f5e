(******************************************************************************)
(* P1, P2 and P3 in one statement.                                            *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import defs rates decay family layer exponential.
From KattnBounds Require Import constructions products independence.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* For every m >= 2 and over every ordered field:                             *)
(* (P1) at length two one feature is exact, with a free readout;              *)
(* (P2) at length three every non-negative kernel, position-dependent or not, *)
(*      causal or not, whose error stays below 1/2, has D features with       *)
(*      1.267^m <= 3 (m + 1) D, and D >= m;                                   *)
(* (P3) at length three the softmax kernel (1/3)^<q,a>, whose scores are      *)
(*      m-dimensional, has error below 1/2; its rank is exactly 2^m.          *)
Theorem separation (R : realFieldType) (m : nat) (causal : bool) : (1 < m)%N ->
  let half : R := 2%:R^-1 in
  [/\ (exists K : kernel R m, exists V : pkernel R m 2,
         has_nonneg_features 1 K /\
         forall x : sequence m 2,
           0 < normaliser causal true (uniform K) x ord_max /\
           head causal true (uniform K) V x ord_max =
           (target causal true x ord_max)%:R),
      (forall (self : bool) (K : pkernel R m 3) (D : nat),
         nonneg K -> solves causal self half K inner -> has_pfeatures D K ->
         (1267%:R / 1000%:R) ^+ m <= 3%:R * (m.+1 * D)%:R :> R /\ (m <= D)%N)
    & let K : kernel R m := fun q a => 3%:R^-1 ^+ dot q a in
      solves causal true half (uniform K : pkernel R m 3) inner /\
      \rank (kmx K) = (2 ^ m)%N].
Proof.
move=> m_gt1 half; have m_gt0 : (0 < m)%N by apply: leq_trans m_gt1.
have half_gt0 : 0 < half by rewrite invr_gt0 ltr0n.
have half_lt1 : half < 1 by rewrite invf_lt1 ?ltr0n ?ltr1n.
split.
- exists (@one_kernel R m), (@mirror_readout R m 2); split.
    exact: one_kernel_features.
  by move=> x; apply: exact_two.
- move=> self K D K_ge0 solK featK; split.
    exact: (exponential_three_1267 m_gt0 K_ge0 solK featK).
  apply: (singletons_bound (n := 2) isT half_gt0 half_lt1 _ K_ge0 solK featK).
  rewrite mul1r ler_subr_addr /half -mulr2n -[_ *+ 2]mulr_natl mulfV ?pnatr_eq0 //.
split.
  have third_gt0 : 0 < 3%:R^-1 :> R by rewrite invr_gt0 ltr0n.
  apply: (proj2 (softmax_three causal third_gt0 m_gt1)).
  by rewrite exprVn ltr_pdivr_mulr ?exprn_gt0 ?ltr0n // mul1r -natrX ltr_nat.
by apply: power_rank; rewrite invr_eq1 pnatr_eq1.
Qed.
