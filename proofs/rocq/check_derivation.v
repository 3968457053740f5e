(******************************************************************************)
(* Derivation certificates: an inequality between kernel entries follows from *)
(* sequences and from K >= 0 (inner readout, uniform kernels).                *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates check_base check_independence.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Notation entry := (seq bool * seq bool)%type.

Definition entry_coef (l : seq (entry * Z)) (k : entry) : Z :=
  foldr (fun p z => if p.1 == k then (p.2 + z)%bZ else z) 0%bZ l.

Lemma formal_zero (R : realFieldType) (F : entry -> R) l :
    all (fun k => (entry_coef l k =? 0)%bZ) [seq p.1 | p <- l] ->
  \sum_(p <- l) zr R p.2 * F p.1 = 0.
Proof.
move=> /allP zero; set keys := undup [seq p.1 | p <- l].
have coefE k : zr R (entry_coef l k) = \sum_(p <- l | p.1 == k) zr R p.2.
  elim: (l) => [|p l' IHl]; first by rewrite big_nil.
  by rewrite big_cons /=; case: ifP => _; rewrite ?zrD IHl.
transitivity (\sum_(k <- keys) \sum_(p <- l | p.1 == k) zr R p.2 * F p.1).
  rewrite (exchange_big_dep xpredT) //= big_seq [RHS]big_seq; apply: eq_bigr => p p_in.
  have k_in : p.1 \in keys by rewrite mem_undup map_f.
  by rewrite -big_filter (@eq_filter _ _ (pred1 p.1)) ?filter_pred1_uniq ?undup_uniq ?big_seq1 // => k; rewrite /= eq_sym.
rewrite big_seq big1 // => k; rewrite mem_undup => k_in.
rewrite (eq_bigr (fun p => zr R p.2 * F k)) => [|p /eqP-> //].
by rewrite -mulr_suml -coefE; have /Z.eqb_eq-> := zero k k_in; rewrite mul0r.
Qed.

(* The left-hand side of an inequality, and what the certificate claims. *)
Definition derivation_lhs m (claim : seq (entry * Z)) (R : realFieldType) (K : kernel R m) : R :=
  \sum_(p <- claim) zr R p.2 * K (tok m p.1.1) (tok m p.1.2).

Definition derived (m n : nat) (tn td : Z) (self strict : bool) (claim : seq (entry * Z)) : Prop :=
  forall (R : realFieldType) (causal : bool) n' (K : kernel R m), n = n'.+1 ->
    (forall q a, 0 <= K q a) ->
    solves causal self (ztau R tn td) (uniform K : pkernel R m n'.+1) inner ->
  if strict then derivation_lhs claim K < 0 else derivation_lhs claim K <= 0.

Record derivation_cert := DerivationCert {
  dc_m : nat; dc_n : Z; dc_tn : Z; dc_td : Z; dc_self : bool; dc_strict : bool;
  dc_scale : Z; dc_claim : seq (entry * Z);
  dc_steps : seq (seq bool * (Z * seq (seq bool))) }.  (* query, multiplier, sequence or token *)

Section Check.
Variable c : derivation_cert.
Let m := dc_m c.

Definition dc_setting : independence_cert :=
  IndependenceCert m (dc_n c) (dc_tn c) (dc_td c) (dc_self c) [::] [:: PatternCert [::] [::] [::]].

Definition step_sum (s : seq bool * (Z * seq (seq bool))) : seq (entry * Z) :=
  [seq ((s.1, p.1), p.2) | p <- constraint dc_setting s.1 s.2].

Definition check_derivation : bool :=
  let l := [seq (p.1, (dc_scale c * p.2)%bZ) | p <- dc_claim c]
             ++ flatten [seq step_sum s | s <- dc_steps c] in
  [&& check_independence dc_setting, (0 <? dc_scale c)%bZ,
      all (fun s => (size s.1 == m) && constraint_ok dc_setting s.1 s.2) (dc_steps c),
      ~~ dc_strict c || has (fun s => (1 < size s.2.2)%N) (dc_steps c)
    & all (fun k => (entry_coef l k =? 0)%bZ) [seq p.1 | p <- l]].

Theorem check_derivation_sound N :
  check_derivation -> dc_n c = Z.of_nat N ->
  derived m N (dc_tn c) (dc_td c) (dc_self c) (dc_strict c) (dc_claim c).
Proof.
case/and5P=> ok scale_gt0 steps_ok strict zero n_eq R causal n' K def_N K_ge0 solK.
set lhs := derivation_lhs _ K.
rewrite def_N in n_eq; have zs_gt0 := zr_gt0 R scale_gt0.
pose F (k : entry) : R := K (tok m k.1) (tok m k.2).
have := formal_zero F zero; rewrite big_cat big_map /=.
rewrite (eq_bigr (fun p => zr R (dc_scale c) * (zr R p.2 * F p.1))) => [|p _]; last first.
  by rewrite zrM mulrA.
rewrite -mulr_sumr -[\sum_(p <- dc_claim c) _]/lhs; set rest := \sum_(i <- _) _ => sum0.
have step_val s : (size s.1 == m) && constraint_ok dc_setting s.1 s.2 ->
    0 <= \sum_(p <- step_sum s) zr R p.2 * F p.1 /\
    ((1 < size s.2.2)%N -> 0 < \sum_(p <- step_sum s) zr R p.2 * F p.1).
  case/andP=> /eqP size_s ok_s; rewrite big_map.
  exact: (constraint_value ok n_eq K_ge0 solK size_s ok_s).
have rest_ge0 l : all (fun s => (size s.1 == m) && constraint_ok dc_setting s.1 s.2) l ->
    0 <= \sum_(i <- flatten [seq step_sum s | s <- l]) zr R i.2 * F i.1.
  elim: l => [_|s l IHl /= /andP[/step_val[ge0 _] /IHl]]; first by rewrite big_nil.
  by rewrite big_cat /=; apply: addr_ge0.
have rest_gt0 l : all (fun s => (size s.1 == m) && constraint_ok dc_setting s.1 s.2) l ->
    has (fun s => (1 < size s.2.2)%N) l ->
    0 < \sum_(i <- flatten [seq step_sum s | s <- l]) zr R i.2 * F i.1.
  elim: l => //= s l IHl /andP[ok_s ok_l]; have [ge0 gt0] := step_val s ok_s.
  rewrite big_cat /= => /orP[/gt0 pos|/(IHl ok_l) pos].
    by rewrite ltr_paddr ?rest_ge0.
  by rewrite ltr_paddl.
have lhsE : zr R (dc_scale c) * lhs = - rest by apply/eqP; rewrite -addr_eq0 sum0.
case: (dc_strict c) strict => /= [has_seq|_].
  by rewrite -(pmulr_rlt0 _ zs_gt0) lhsE oppr_lt0 rest_gt0.
by rewrite -(pmulr_rle0 _ zs_gt0) lhsE oppr_le0 rest_ge0.
Qed.

End Check.
