(******************************************************************************)
(* Layer certificates (L1, L2, L3), with a polynomial subtracted (L1+): a     *)
(* checker on binary integers.                                                *)
(*   LayerCert m n tn td self k shift scale value: the claim D* >= value at   *)
(*                        tolerance tn/td; the coefficients of the polynomial *)
(*                        are shift_i / scale, none without a shift           *)
(*   check_layer        : inner readout;  check_layer_sound: lower_bound      *)
(*   check_layer_free   : free readout;   check_layer_free_sound              *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ.
From KattnBounds Require Import defs rates decay layer weighted shift decaying.
From KattnBounds Require Import check_base check_rates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Record layer_cert := LayerCert {
  lc_m : nat; lc_n : Z; lc_tn : Z; lc_td : Z; lc_self : bool; lc_k : nat;
  lc_shift : seq Z; lc_scale : Z; lc_value : Z }.

Section Check.
Variable c : layer_cert.
Let m := lc_m c.
Let k := lc_k c.

Definition layer_common : bool :=
  [&& (2 <? lc_n c)%bZ, (0 <? lc_tn c)%bZ, (0 <? lc_td c)%bZ,
      (0 < k)%N && (k <= m)%N, (size (lc_shift c) <= k.+1)%N && (0 <? lc_scale c)%bZ
    & (0 <? lc_value c)%bZ].

(* The bounds of the entries and of the diagonal, times one * scale. *)
Definition layer_entry (one : Z) (tab bs : seq Z) (s : nat) : Z :=
  let b := (one * nth 0 bs s)%bZ in
  let e := (lc_scale c * nth 0 tab s - b)%bZ in
  if s == 0%N then e else Z.max (Z.abs b) (Z.abs e).

Definition layer_sum (P : pred nat) (one : Z) (tab bs : seq Z) : Z :=
  let rk := binomials k k in let rmk := binomials (m - k) k in
  zsum [seq (let e := layer_entry one tab bs s in nth 0 rk s * nth 0 rmk s * (e * e))%bZ
         | s <- iota 0 k.+1 & P s].

(* The number of rows: all k-sets, or one sum mod m of them without h(1). *)
Definition layer_rows (near : bool) : Z :=
  let C := zbin m k in if near then C else ((C + Z.of_nat m - 1) / Z.of_nat m)%bZ.

Definition layer_cost : Z :=
  if size (lc_shift c) is j.+1 then zbin m j else 0%bZ.

(* With h of numerator Tn, value - 1 + e + cost features do not suffice.      *)
(* Without h(1), k = 1 gives one feature, which is always needed.             *)
Definition layer_test (Tn : Z) (e : nat) : bool :=
  let near := (Tn <? lc_td c)%bZ in
  let: (one, tab) := decay_table (lc_n c) Tn (lc_td c) k in
  let bs := newton_values (lc_shift c) k.+1 in
  let d := layer_entry one tab bs 0 in
  [&& table_ok (lc_n c) Tn (lc_td c) one tab,
      [|| near, (1 < k)%N | (lc_value c =? 1)%bZ],
      all (fun s => ~~ near && (s == 1%N) || known tab s) (iota 1 k)
    & ((lc_value c - 1 + Z.of_nat e + layer_cost) *
         layer_sum (fun s => near || (s != 1%N)) one tab bs
       <? layer_rows near * (d * d))%bZ].

Definition check_layer : bool :=
  [&& layer_common, (lc_tn c <=? lc_td c)%bZ & layer_test (lc_tn c) 0].

Definition check_layer_free : bool :=
  let Tn := (2 * lc_tn c)%bZ in
  [&& layer_common, (Tn <? 2 * lc_td c)%bZ & layer_test Tn (lc_self c)].

Section Soundness.
Variables (R : realFieldType) (Tn : Z) (N e D : nat) (A : kernel R m).
Hypothesis common : layer_common.
Hypothesis n_eq : lc_n c = Z.of_nat N.
Hypothesis Tn_gt0 : (0 <? Tn)%bZ.
Hypothesis decA : decaying (ztau R Tn (lc_td c)) N (D + e) A.

Let u : R := zr R (lc_scale c).
Let p := zr_seq u (lc_shift c).

Let u_gt0 : 0 < u.
Proof. by have /and5P[_ _ _ _ /andP[/andP[_ s_gt0] _]] := common; apply: zr_gt0. Qed.

Let size_p : (size p <= k.+1)%N.
Proof. by have /and5P[_ _ _ _ /andP[/andP[]]] := common; rewrite size_map. Qed.

Lemma layer_costE : zr R layer_cost = (shift_cost m (size p))%:R.
Proof.
by rewrite size_map /layer_cost; case: (size _) => [|j]; rewrite ?zr0 //= zbinE zr_nat.
Qed.

Section Table.
Variables (one : Z) (tab : seq Z).
Hypothesis ok : table_ok (lc_n c) Tn (lc_td c) one tab.
Let bs := newton_values (lc_shift c) k.+1.
Let X : R := zr R one * u.
Let f := shifted (rate R one tab) p.

Let X_gt0 : 0 < X. Proof. by rewrite mulr_gt0 // (table_one R ok). Qed.

Lemma layer_entryE s : (s <= k)%N -> zr R (layer_entry one tab bs s) = f s * X.
Proof.
move=> s_le; have one_gt0 := table_one R ok.
have b_s : zr R (one * nth 0 bs s) = newton p s * X.
  by rewrite -(nth_newton_values u _ (s_le : s < k.+1)%N) zrM /X mulrCA divfK ?gt_eqF.
have e_s : zr R (lc_scale c * nth 0 tab s - one * nth 0 bs s) =
           (rate R one tab s - newton p s) * X.
  rewrite zrB b_s mulrBl zrM; congr (_ - _).
  by rewrite /rate /X mulrA divfK ?gt_eqF // mulrC.
rewrite /layer_entry /f /shifted; case: eqP => [s0|_].
  have /and3P[_ /eqP tab0 _] := ok.
  by rewrite s0 in e_s *; rewrite e_s /rate tab0 divff ?gt_eqF.
by rewrite zr_max !zr_abs b_s e_s ![`|_ * X|]normrM (gtr0_norm X_gt0) -maxr_pmull // ltW.
Qed.

Lemma layer_sumE P : zr R (layer_sum P one tab bs) = layer_den f m k P * X ^+ 2.
Proof.
rewrite /layer_sum zsum_iota /layer_den mulr_suml; apply: eq_bigr => s _.
have s_le : (s <= k)%N by rewrite -ltnS.
by rewrite !zrM layer_entryE // !nth_binomials // !zr_nat natrM -expr2 exprMn mulrA.
Qed.

(* The conclusion from the inequality of the theorem. *)
Lemma layer_features (rows : Z) (P : pred nat) :
    (0 <? lc_value c)%bZ ->
    zr R rows * (1 - newton p 0) ^+ 2 <=
      (D + e + shift_cost m (size p))%:R * layer_den f m k P ->
    ((lc_value c - 1 + Z.of_nat e + layer_cost) * layer_sum P one tab bs <?
      rows * (layer_entry one tab bs 0 * layer_entry one tab bs 0))%bZ ->
  (Z.to_nat (lc_value c) <= D)%N.
Proof.
move=> v_gt0 le_den /(zr_lt R); rewrite 3!zrM layer_entryE // layer_sumE -[f 0%N]/(1 - newton p 0).
move: (X) X_gt0 => Y Y_gt0; rewrite -expr2 exprMn ![_ * (_ * Y ^+ 2)]mulrA.
rewrite ltr_pmul2r ?exprn_gt0 // => /lt_le_trans/(_ le_den).
exact: value_le v_gt0 (layer_den_ge0 _ _ _ _) layer_costE.
Qed.

End Table.

Lemma layer_test_sound :
  (lc_value c =? 1)%bZ = false -> layer_test Tn e -> (Z.to_nat (lc_value c) <= D)%N.
Proof.
rewrite /layer_test => -> ; case: decay_table => one tab /and4P[ok k_near /allP all_known test].
rewrite orbF in k_near.
have /and5P[n_gt2 _ td_gt0 /andP[k_gt0 k_le] /andP[_ v_gt0]] := common.
have [A_ge0 featA _] := decA.
have decay := rate_decay Tn_gt0 td_gt0 n_gt2 n_eq ok decA.
set near := (Tn <? lc_td c)%bZ in k_near all_known test.
have known_s s : (0 < s)%N -> (s <= k)%N -> near || (s != 1%N) -> known tab s.
  move=> s_gt0 s_le; have /all_known : s \in iota 1 k by rewrite mem_iota; lia.
  by case/orP=> // /andP[/negbTE-> ->].
have known_k : known tab k.
  by apply: known_s => //; case/orP: k_near => [->//|]; case: eqP => [->|]; rewrite ?orbT.
refine (layer_features ok v_gt0 _ test); case: (boolP near) => [is_near|is_far] /=.
  rewrite zbinE zr_nat; apply: (shifted_layer A_ge0 decay) => // s /andP[s_gt0 s_le].
  by rewrite known_s ?is_near.
have [|N0 C_le N0_le] := shifted_residue A_ge0 decay featA k_gt0 known_k size_p k_le.
  by move=> s /andP[s_gt1 s_le]; rewrite known_s // ?(ltnW s_gt1) // gtn_eqF ?orbT.
apply: le_trans N0_le; rewrite zbinE ler_wpmul2r ?sqr_ge0 // -(zr_nat R N0) zr_leE.
apply/Z.leb_le/Z.lt_succ_r/Z.div_lt_upper_bound; first by move: k_gt0 k_le; clear; lia.
by move: C_le (leq_trans k_gt0 k_le); move: ('C(m, k)) => C; clear; nia.
Qed.

End Soundness.

Theorem check_layer_sound N : check_layer -> lc_n c = Z.of_nat N ->
  lower_bound m N (lc_tn c) (lc_td c) (lc_self c) (Z.to_nat (lc_value c)).
Proof.
case/and3P=> common tau_le1 ok n_eq.
have /and3P[n_gt2 tn_gt0 /andP[td_gt0 _]] := common.
case v1: (lc_value c =? 1)%bZ; first by move/Z.eqb_eq: v1 => ->; apply: lower_bound1.
apply: (lower_bound_decaying n_gt2 tn_gt0 td_gt0 n_eq tau_le1) => R D A dec.
exact: (layer_test_sound common n_eq tn_gt0 dec v1 ok).
Qed.

Theorem check_layer_free_sound N : check_layer_free -> lc_n c = Z.of_nat N ->
  lower_bound_free m N (lc_tn c) (lc_td c) (lc_self c) (Z.to_nat (lc_value c)).
Proof.
case/and3P=> common _ ok n_eq.
have /and3P[n_gt2 tn_gt0 /andP[td_gt0 _]] := common.
case v1: (lc_value c =? 1)%bZ; first by move/Z.eqb_eq: v1 => ->; apply: lower_bound_free1.
have Tn_gt0 : (0 <? 2 * lc_tn c)%bZ by move: tn_gt0; clear; lia.
apply: (lower_bound_free_decaying n_gt2 tn_gt0 td_gt0 n_eq) => R D A dec.
exact: (layer_test_sound common n_eq Tn_gt0 dec v1 ok).
Qed.

End Check.
