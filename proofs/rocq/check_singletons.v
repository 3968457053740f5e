(******************************************************************************)
(* Singleton certificates (L7): disjoint queries, single coordinates where    *)
(* h(1) <= 1, else pairs of coordinates.  Both readouts.                      *)
(*   disjoint_blocks    : a decaying kernel with f(r) <= 1 has at least m/r   *)
(*                        features                                            *)
(*   check_singletons   : inner readout; check_singletons_free: free readout  *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ.
From KattnBounds Require Import defs rates decay independence decaying check_base check_rates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* The coordinates r j, ..., r j + r - 1. *)
Definition block m (r j : nat) : token m := [set i : 'I_m | (i %/ r)%N == j].

Lemma card_block m r j : (j < m %/ r)%N -> #|block m r j| = r.
Proof.
move=> j_lt; have r_gt0 : (0 < r)%N by case: r j_lt; rewrite ?divn0.
have end_le : (j * r + r <= m)%N.
  by rewrite -mulSnr (leq_trans _ (leq_trunc_div m r)) // leq_mul2r j_lt orbT.
have lt_m (l : 'I_r) : (j * r + l < m)%N by rewrite (leq_trans _ end_le) // ltn_add2l.
pose F (l : 'I_r) := Ordinal (lt_m l).
have inj_F : injective F by move=> l l' /(congr1 val)/addnI/val_inj.
rewrite -[RHS]card_ord -(card_imset _ inj_F); apply: eq_card => i; rewrite inE.
apply/eqP/imsetP => [ij|[l _ ->]]; last by rewrite /= divnMDl // divn_small ?addn0.
by exists (Ordinal (ltn_pmod i r_gt0)) => //; apply: val_inj; rewrite /= -ij -divn_eq.
Qed.

Lemma disjoint_blocks (R : realFieldType) m N D r (T : R) (A : kernel R m) :
    0 < T -> T < r%:R -> h N T r <= 1 -> decaying T N D A ->
  (m %/ r <= D)%N.
Proof.
move=> T_gt0 T_lt h_le [A_ge0 featA decay].
apply: (disjoint_queries (q := fun j : 'I_(m %/ r) => block m r j) A_ge0 decay featA).
- move=> i j ne; rewrite -setI_eq0; apply/eqP/setP => l; rewrite !inE.
  by apply: contra_neqF ne => /andP[/eqP li /eqP lj]; apply: val_inj; rewrite /= -li.
- by move=> j; rewrite card_block.
- by move=> j; rewrite card_block.
Qed.

(* Single coordinates where h(1) <= 1, else pairs. *)
Definition singletons_size (n Tn td : Z) : nat :=
  if (Tn <? td)%bZ && (Tn <=? (n - 2) * (td - Tn))%bZ then 1%N else 2%N.

Definition singletons_common (n tn td : Z) : bool :=
  [&& (2 <? n)%bZ, (0 <? tn)%bZ & (0 <? td)%bZ].

Definition check_singletons (m : nat) (n tn td value : Z) : bool :=
  [&& singletons_common n tn td, (tn <=? td)%bZ
    & (value <=? Z.of_nat (m %/ singletons_size n tn td))%bZ].

Definition check_singletons_free (m : nat) (n tn td : Z) (self : bool) (value : Z) : bool :=
  [&& singletons_common n tn td, (2 * tn <=? td)%bZ
    & (value + Z.of_nat self <=? Z.of_nat (m %/ singletons_size n (2 * tn) td))%bZ].

Lemma singletons_features (R : realFieldType) m n Tn td N D (A : kernel R m) :
    (2 <? n)%bZ -> (0 <? Tn)%bZ -> (0 <? td)%bZ -> (Tn <=? td)%bZ -> n = Z.of_nat N ->
    decaying (ztau R Tn td) N D A ->
  (m %/ singletons_size n Tn td <= D)%N.
Proof.
move=> n_gt2 Tn_gt0 td_gt0 le_td n_eq.
have T_gt0 := ztau_gt0 R Tn_gt0 td_gt0; have ztd_gt0 := zr_gt0 R td_gt0.
have h_le j : (Tn <? Z.of_nat j * td)%bZ -> (Tn <=? (n - 2) * (Z.of_nat j * td - Tn))%bZ ->
    h N (ztau R Tn td) j <= 1.
  move=> lt_j le_g; have T_lt : ztau R Tn td < j%:R by rewrite ztau_ltE.
  apply: le_trans (hmin_le_step _ T_gt0 (part_gt0 T_gt0 T_lt)) _.
  have N_gt2 : (2 < N)%N by move: n_gt2; rewrite n_eq; clear; lia.
  rewrite /g ler_pdivr_mulr ?mul1r; last by rewrite mulr_gt0 ?subr_gt0 // ltr0n subn_gt0.
  rewrite {1}/ztau ler_pdivr_mulr // -mulrA mulrBl divfK ?gt_eqF //.
  have -> : (N - 2)%N%:R = zr R (n - 2)%bZ.
    by rewrite zrB n_eq zr_nat natrB // ltnW.
  by rewrite -zr_nat -zrM -zrB -zrM zr_leE.
rewrite /singletons_size; case: ifP => [/andP[lt_td le_g]|_]; apply: disjoint_blocks => //.
- by rewrite ztau_ltE // Z.mul_1_l.
- by rewrite h_le // ?Z.mul_1_l.
- by rewrite ztau_ltE //; move: le_td td_gt0; clear; lia.
- by rewrite h_le //; move: le_td td_gt0 n_gt2; clear; nia.
Qed.

Theorem check_singletons_sound m n tn td self value N :
    check_singletons m n tn td value -> n = Z.of_nat N ->
  lower_bound m N tn td self (Z.to_nat value).
Proof.
case/and3P=> /and3P[n_gt2 tn_gt0 td_gt0] le_td v_le n_eq.
apply: (lower_bound_decaying n_gt2 tn_gt0 td_gt0 n_eq le_td) => R D A dec.
by have := singletons_features n_gt2 tn_gt0 td_gt0 le_td n_eq dec; move: v_le; clear; lia.
Qed.

Theorem check_singletons_free_sound m n tn td self value N :
    check_singletons_free m n tn td self value -> n = Z.of_nat N ->
  lower_bound_free m N tn td self (Z.to_nat value).
Proof.
case/and3P=> /and3P[n_gt2 tn_gt0 td_gt0] le_td v_le n_eq.
have Tn_gt0 : (0 <? 2 * tn)%bZ by move: tn_gt0; clear; lia.
apply: (lower_bound_free_decaying n_gt2 tn_gt0 td_gt0 n_eq) => R D A dec.
by have := singletons_features n_gt2 Tn_gt0 td_gt0 le_td n_eq dec; move: v_le; clear; lia.
Qed.
