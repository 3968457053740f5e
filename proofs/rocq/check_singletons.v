(******************************************************************************)
(* Singleton certificates (L7): D >= m when tau <= (n - 2) (1 - tau).         *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ.
From KattnBounds Require Import defs rates independence check_base check_layer.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition check_singletons (m : nat) (n tn td : Z) (value : nat) : bool :=
  [&& (2 <? n)%bZ, (0 <? tn)%bZ, (tn <? td)%bZ, (tn <=? (n - 2) * (td - tn))%bZ
    & (value <= m)%N].

Theorem check_singletons_sound m n tn td self value N :
    check_singletons m n tn td value -> n = Z.of_nat N ->
  lower_bound m N tn td self value.
Proof.
case/and5P=> n_gt2 tn_gt0 lt_td le_g v_le n_eq R causal n' K D def_N K_ge0 solK featK.
have td_gt0 : (0 <? td)%bZ by move: tn_gt0 lt_td; clear; lia.
have n_gt1 : (1 < n')%N by move: n_gt2; rewrite n_eq def_N; clear; lia.
have ztd_gt0 := zr_gt0 R td_gt0.
have lt1 : (1 * tn <? td)%bZ by move: lt_td; clear; lia.
have tau_lt1 : ztau R tn td < 1 by have := ztau_lt R td_gt0 lt1; rewrite zr1 mul1r.
apply: (leq_trans v_le).
apply: (singletons_bound n_gt1 (ztau_gt0 R tn_gt0 td_gt0) tau_lt1 _ K_ge0 solK featK).
rewrite /ztau ler_pdivr_mulr // -mulrA mulrBl mul1r divfK ?gt_eqF // -zrB -def_N.
have -> : (N - 2)%N%:R = zr R (n - 2)%bZ.
  by rewrite -zr_nat; congr (zr R _); move: n_gt2; rewrite n_eq; clear; lia.
by rewrite -zrM; apply: zr_le.
Qed.
