(******************************************************************************)
(* Kernel certificates: a checker for K = phi psi^T, and its soundness.       *)
(*   factor_row         : a row of phi psi^T as pairs (level, entry)          *)
(*   check_kernel       : the checker (integers; rows may be scaled at will)  *)
(*   check_kernel_sound : check_kernel c = true -> upper_bound                *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay check_base check_levels.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition bdot (s t : seq bool) : nat := count (fun p => p.1 && p.2) (zip s t).

Lemma bdot_bits m (q a : token m) : bdot (bits q) (bits a) = dot q a.
Proof.
apply: Nat2Z.inj; rewrite -{2}[q]bitsK -{2}[a]bitsK -(@zdotE m) ?size_bits //.
by rewrite /zdot zcountE count_map.
Qed.

Definition zdotprod (f p : seq Z) : Z :=
  foldr (fun fp s => (fp.1 * fp.2 + s)%bZ) 0%bZ (zip f p).

(* Tables of 2^m rows of D integers, as rows of features. *)
Section Factors.
Variables (m D : nat).
Implicit Types (q a : token m) (tab : seq (seq Z)).
Let toks := all_bits m.

Definition token_row tab a : seq Z := nth [::] tab (index (bits a) toks).

Definition good_table (signed : bool) tab : bool :=
  [&& size tab == size toks, all (fun f => size f == D) tab &
      signed || all (all (Z.leb 0)) tab].

Definition factor_entry (phi psi : seq (seq Z)) q a : Z :=
  zdotprod (token_row phi q) (token_row psi a).

Definition factor_row (psi : seq (seq Z)) (q : seq bool) (f : seq Z) : seq (nat * Z) :=
  [seq (bdot q ap.1, zdotprod f ap.2) | ap <- zip toks psi].

Lemma token_row_in signed tab a : good_table signed tab ->
  (bits a, token_row tab a) \in zip toks tab.
Proof.
case/and3P=> /eqP size_tab _ _; rewrite -[X in (X, _)](nth_index [::] (bits_in a)).
by rewrite -nth_zip // mem_nth // size_zip size_tab minnn index_mem bits_in.
Qed.

Lemma size_token_row signed tab a : good_table signed tab -> size (token_row tab a) = D.
Proof.
case/and3P=> /eqP size_tab /allP size_rows _; apply/eqP/size_rows/mem_nth.
by rewrite size_tab index_mem bits_in.
Qed.

Lemma factor_row_in signed phi psi q a : good_table signed psi ->
  (dot q a, factor_entry phi psi q a) \in factor_row psi (bits q) (token_row phi q).
Proof.
move=> /(token_row_in a) in_psi; apply/mapP; exists (bits a, token_row psi a) => //.
by rewrite bdot_bits.
Qed.

Variable R : realFieldType.

Lemma zdotprodE f p : size f = D -> size p = D ->
  zr R (zdotprod f p) = \sum_(k < D) zr R (nth 0%bZ f k) * zr R (nth 0%bZ p k).
Proof.
elim: D f p => [|d IHd] [|x f] [|y p] //= => [_ _|[size_f] [size_p]].
  by rewrite big_ord0.
by rewrite big_ord_recl /= zrD zrM IHd.
Qed.

Definition feature tab a : 'rV[R]_D := \row_k zr R (nth 0%bZ (token_row tab a) k).

Lemma feature_ge0 signed tab : good_table signed tab ->
  signed || [forall a, forall k, 0 <= feature tab a 0 k].
Proof.
case: signed => // tab_ok; apply/forallP => a; apply/forallP => k; rewrite mxE.
have /and3P[/eqP size_tab _ /allP tab_ge0] := tab_ok; apply: zr_ge0.
apply: (allP (tab_ge0 (token_row tab a) _)); apply: mem_nth.
  by rewrite size_tab index_mem bits_in.
by rewrite (size_token_row a tab_ok).
Qed.

Lemma factor_features signed phi psi :
    good_table signed phi -> good_table signed psi ->
  sfeatures signed D (fun q a => zr R (factor_entry phi psi q a)).
Proof.
move=> phi_ok psi_ok; apply/sfeaturesP; exists (feature phi), (feature psi).
split=> [||q a]; rewrite ?(feature_ge0 phi_ok) ?(feature_ge0 psi_ok) //.
rewrite zdotprodE ?(size_token_row _ phi_ok) ?(size_token_row _ psi_ok) //.
by rewrite mxE; apply: eq_bigr => k _; rewrite !mxE.
Qed.

End Factors.

Record kernel_cert := KernelCert {
  kc_m : nat; kc_n : Z; kc_tn : Z; kc_td : Z; kc_self : bool; kc_signed : bool;
  kc_value : nat; kc_phi : seq (seq Z); kc_psi : seq (seq Z) }.

Section Checker.
Variable c : kernel_cert.
Let m := kc_m c.

Definition check_kernel : bool :=
  [&& (0 <? kc_tn c)%bZ, (0 <? kc_td c)%bZ,
      good_table m (kc_value c) (kc_signed c) (kc_phi c),
      good_table m (kc_value c) (kc_signed c) (kc_psi c) &
      all (fun qf => check_levels (kc_n c) (kc_tn c) (kc_td c) (kc_self c)
             (zdotprod qf.2 (nth [::] (kc_psi c) (index qf.1 (all_bits m)))) (zcount qf.1)
             (extremes (factor_row m (kc_psi c) qf.1 qf.2)))
          (zip (all_bits m) (kc_phi c))].

Theorem check_kernel_sound n : check_kernel -> kc_n c = Z.of_nat n ->
  upper_bound m n (kc_tn c) (kc_td c) (kc_self c) (kc_signed c) (kc_value c).
Proof.
case/and5P=> tn_gt0 td_gt0 phi_ok psi_ok /allP rows n_eq R causal n' def_n.
pose entry := @factor_entry m (kc_phi c) (kc_psi c).
have good q : good_row (Z.of_nat n'.+1) (kc_tn c) (kc_td c) (kc_self c) q (entry q).
  have := rows _ (token_row_in q phi_ok); rewrite n_eq def_n /=.
  rewrite (@zcount_card m) ?size_bits // bitsK; apply: check_levelsP => a.
  exact: extremesP (factor_row_in (kc_phi c) q a psi_ok).
exists (fun q a => zr R (entry q a)); split.
- exact: rows_ge0 good.
- exact: rows_solve good.
exact: factor_features phi_ok psi_ok.
Qed.

End Checker.
