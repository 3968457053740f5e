(******************************************************************************)
(* Derivation certificates: an inequality between kernel entries follows from *)
(* sequences and from K >= 0.                                                 *)
(*   entry == (is it N = K V rather than K, position, (query, token));        *)
(*            positions count from 0, and are 0 for uniform kernels           *)
(*   entry_value K V e == its value, the query at the last position           *)
(*   derived, derived_positional == the inequality holds in every solving     *)
(*            head, for uniform kernels and for position-dependent ones; the  *)
(*            readout is free or V q a = <q,a>                                *)
(*   check_derivation, check_derivation_sound,                                *)
(*   check_derivation_positional_sound : what is checked is derived           *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates check_base check_tries check_independence.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Notation entry := (bool * Z * (seq bool * seq bool))%type.

(* A head that answers satisfies two linear inequalities, whatever its readout. *)
Lemma answers_sides (R : realFieldType) m n causal self (tau : R) (K V : pkernel R m n)
    (x : sequence m n) i (lower : bool) :
    answers causal self tau K V x i ->
  \sum_(j | attends causal self i j) K i j (x i) (x j) *
    ((-1) ^+ lower * (V i j (x i) (x j) - (target causal self x i)%:R) - tau) < 0.
Proof.
case; rewrite /head; set N := \sum_(j | _) _ * _; set S := normaliser _ _ _ _ _ => S_gt0.
set y := (target _ _ _ _)%:R; rewrite ltr_distl ltr_pdivl_mulr // ltr_pdivr_mulr // => /andP[lo up].
rewrite (eq_bigr (fun j => (-1) ^+ lower * (K i j (x i) (x j) * V i j (x i) (x j)) -
    ((-1) ^+ lower * y + tau) * K i j (x i) (x j))) => [|j _]; last by ring.
rewrite sumrB -!mulr_sumr -/N -/(normaliser _ _ _ _ _) -/S subr_lt0.
case: lower; last by rewrite expr0 !mul1r.
by rewrite expr1 !mulN1r ltr_oppl -mulNr opprD opprK.
Qed.

Lemma sum_attends_iota (R : realFieldType) n causal self (f : 'I_n.+1 -> R) :
  \sum_(j | attends causal self ord_max j) f j =
  \sum_(k <- iota 0 (if self then n.+1 else n)) f (inord k).
Proof.
have iotaE k : iota 0 k = index_iota 0 k by rewrite /index_iota subn0.
rewrite iotaE (eq_bigl _ _ (attends_final causal self)) big_mkord; case: self.
  by apply: eq_bigr => j _; rewrite inord_val.
rewrite big_mkcond big_ord_recr /= eqxx addr0; apply: eq_bigr => j _.
rewrite -val_eqE /= neq_ltn ltn_ord; congr f; apply: val_inj.
by rewrite /= inordK // ltnS ltnW.
Qed.

Section Claim.
Variables (R : realFieldType) (m n : nat).
Implicit Types (K V : pkernel R m n.+1).

Definition entry_value K V (e : entry) : R :=
  let at_entry (M : pkernel R m n.+1) :=
    M ord_max (inord (Z.to_nat e.1.2)) (tok m e.2.1) (tok m e.2.2) in
  if e.1.1 then at_entry K * at_entry V else at_entry K.

Definition claimed K V (strict : bool) (claim : seq (entry * Z)) : Prop :=
  let sum := formal (entry_value K V) claim in if strict then sum < 0 else sum <= 0.

End Claim.

Section Derived.
Variables (m n : nat) (tn td : Z) (self free strict : bool) (claim : seq (entry * Z)).

Definition derived : Prop :=
  forall (R : realFieldType) (causal : bool) n' (K V : kernel R m), n = n'.+1 ->
    (forall q a, 0 <= K q a) -> (~~ free -> forall q a, V q a = (dot q a)%:R) ->
    solves causal self (ztau R tn td) (uniform K : pkernel R m n'.+1) (uniform V) ->
  claimed (uniform K : pkernel R m n'.+1) (uniform V) strict claim.

Definition derived_positional : Prop :=
  forall (R : realFieldType) (causal : bool) n' (K V : pkernel R m n'.+1), n = n'.+1 ->
    nonneg K -> (~~ free -> forall i j q a, V i j q a = (dot q a)%:R) ->
    solves causal self (ztau R tn td) K V ->
  claimed K V strict claim.

End Derived.

(* A step is a positive multiple of a sequence (query last, upper or lower    *)
(* side) or of an entry that is not negative.                                 *)
Inductive derivation_step :=
| Sequence (scale : Z) (lower : bool) (tokens : seq (seq bool))
| Nonneg (scale : Z) (e : entry).

Record derivation_cert := DerivationCert {
  dc_m : nat; dc_n : Z; dc_tn : Z; dc_td : Z;
  dc_self : bool; dc_free : bool; dc_positional : bool; dc_strict : bool;
  dc_scale : Z; dc_claim : seq (entry * Z); dc_steps : seq derivation_step }.

Section Check.
Variable c : derivation_cert.
Let m := dc_m c.

Definition positions (s : seq (seq bool)) : seq nat :=
  iota 0 (if dc_self c then size s else (size s).-1).

Definition sequence_terms (lower : bool) (s : seq (seq bool)) : seq (entry * Z) :=
  let q := last [::] s in
  let y := foldr Z.min (zcount q) [seq zdot q (nth [::] s k) | k <- positions s] in
  let td := if lower then (- dc_td c)%bZ else dc_td c in
  flatten [seq
    let x := nth [::] s k in
    let j := if dc_positional c then Z.of_nat k else 0%bZ in
    if dc_free c then
      [:: ((true, j, (q, x)), td); ((false, j, (q, x)), (- (td * y) - dc_tn c)%bZ)]
    else [:: ((false, j, (q, x)), (td * (zdot q x - y) - dc_tn c)%bZ)]
  | k <- positions s].

(* What a step adds to the claim. *)
Definition step_terms (step : derivation_step) : seq (entry * Z) :=
  match step with
  | Sequence M lower s => [seq (p.1, (- M * p.2)%bZ) | p <- sequence_terms lower s]
  | Nonneg M e => [:: (e, M)]
  end.

Definition step_ok (step : derivation_step) : bool :=
  match step with
  | Sequence M lower s =>
      [&& (0 <? M)%bZ, (Z.of_nat (size s) =? dc_n c)%bZ, all (fun x => size x == m) s &
          dc_self c || (1 < size s)%N]
  | Nonneg M e => (0 <? M)%bZ && ~~ e.1.1
  end.

Definition is_sequence (step : derivation_step) : bool :=
  if step is Sequence _ _ _ then true else false.

Definition entry_ok (e : entry) : bool :=
  [&& (if dc_positional c then (0 <=? e.1.2)%bZ && (e.1.2 <? dc_n c)%bZ else e.1.2 == 0%bZ),
      size e.2.1 == m, size e.2.2 == m & dc_free c || ~~ e.1.1].

Definition check_derivation : bool :=
  [&& (0 <? dc_td c)%bZ, (0 <? dc_scale c)%bZ, all (fun p => entry_ok p.1) (dc_claim c),
      all step_ok (dc_steps c), ~~ dc_strict c || has is_sequence (dc_steps c)
    & sum_zero (fun e => e.1.1 :: e.2.1 ++ e.2.2)
        ([seq (p.1, (dc_scale c * p.2)%bZ) | p <- dc_claim c]
           ++ flatten [seq step_terms s | s <- dc_steps c])].

Hypothesis ok : check_derivation.
Variables (R : realFieldType) (causal : bool) (n : nat) (K V : pkernel R m n.+1).
Hypothesis n_eq : dc_n c = Z.of_nat n.+1.
Hypothesis K_ge0 : nonneg K.
Hypothesis V_inner : ~~ dc_free c -> forall i j q a, V i j q a = (dot q a)%:R.
Let tau := ztau R (dc_tn c) (dc_td c).
Hypothesis solKV : solves causal (dc_self c) tau K V.
Hypothesis not_positional : ~~ dc_positional c ->
  forall j, K ord_max j = K ord_max ord0 /\ V ord_max j = V ord_max ord0.
Let F := entry_value K V.

Lemma sequence_terms_lt0 lower s : size s = n.+1 -> all (fun x => size x == m) s ->
    dc_self c || (1 < size s)%N ->
  formal F (sequence_terms lower s) < 0.
Proof.
move=> size_s sizes self_or; have /and5P[td_gt0 _ _ _ _] := ok.
have ztd_gt0 := zr_gt0 R td_gt0.
pose x : sequence m n.+1 := fun j => tok m (nth [::] s j).
have size_nth k : (k < n.+1)%N -> size (nth [::] s k) = m.
  by move=> k_lt; apply/eqP/(allP sizes); rewrite mem_nth ?size_s.
set q := last [::] s; have q_eq : q = nth [::] s n.
  by rewrite /q (last_nth [::]); case: (s) size_s => //= a t [->].
have xq : x ord_max = tok m q by rewrite q_eq.
have size_q : size q = m by rewrite q_eq size_nth.
have pos_lt k : k \in positions s -> (k < n.+1)%N.
  by rewrite mem_iota size_s; case: dc_self => //= k_lt; apply: ltnW.
have pos_size : all (fun x => size x == m) [seq nth [::] s k | k <- positions s].
  by apply/allP => _ /mapP[k /pos_lt k_lt ->]; rewrite size_nth.
have y_eq : foldr Z.min (zcount q) [seq zdot q (nth [::] s k) | k <- positions s] =
    Z.of_nat (target causal (dc_self c) x ord_max).
  rewrite [map _ _](map_comp (zdot q) (nth [::] s)) (least_zmin size_q pos_size); congr Z.of_nat.
  set ts := map _ _.
  have in_ts k : k \in positions s -> tok m (nth [::] s k) \in ts by move=> k_in; rewrite !map_f.
  have pos_att (j : 'I_n.+1) : attends causal (dc_self c) ord_max j = (val j \in positions s).
    rewrite attends_final mem_iota size_s add0n -val_eqE /=.
    by case: dc_self; rewrite ?ltn_ord //= neq_ltn [(n < _)%N]ltnNge leq_ord orbF.
  have ts_neq : ts != [::].
    by rewrite -size_eq0 !size_map size_iota size_s; case: dc_self self_or; rewrite ?size_s //; lia.
  have [_ /mapP[_ /mapP[k k_in ->] ->] least_k] := least_attained (tok m q) ts_neq.
  have k_lt := pos_lt k k_in; rewrite -least_k -xq -[tok m (nth _ _ k)]/(x (Ordinal k_lt)).
  symmetry; apply: target_eq => [|j]; rewrite pos_att // => /in_ts j_in.
  by rewrite xq -[x (Ordinal k_lt)]/(tok m (nth [::] s k)) least_k; apply: least_le.
have zsideE : zr R (if lower then - dc_td c else dc_td c) = (-1) ^+ lower * zr R (dc_td c).
  by case: lower; rewrite ?zrN ?expr1 ?expr0 ?mulN1r ?mul1r.
have tnE : zr R (dc_tn c) = zr R (dc_td c) * tau by rewrite /tau mulrC divfK ?gt_eqF.
have := answers_sides lower (solKV x); rewrite sum_attends_iota -(pmulr_rlt0 _ ztd_gt0).
rewrite mulr_sumr xq => lt0.
suff -> : formal F (sequence_terms lower s) = \sum_(k <- positions s) zr R (dc_td c) *
    (K ord_max (inord k) (tok m q) (x (inord k)) * ((-1) ^+ lower *
      (V ord_max (inord k) (tok m q) (x (inord k)) -
       (target causal (dc_self c) x ord_max)%:R) - tau)).
  by move: lt0; rewrite /positions size_s.
rewrite /formal /sequence_terms big_flatten big_map y_eq /=; apply: eq_big_seq => k k_in.
have k_lt := pos_lt k k_in.
have x_k : x (inord k) = tok m (nth [::] s k) by rewrite /x inordK.
pose j := if dc_positional c then Z.of_nat k else 0%bZ.
have [Kj Vj] : K ord_max (inord (Z.to_nat j)) = K ord_max (inord k) /\
    V ord_max (inord (Z.to_nat j)) = V ord_max (inord k).
  rewrite /j; case: dc_positional not_positional => [_|/(_ isT) const].
    by rewrite Nat2Z.id.
  by rewrite !(const (inord _)).1 !(const (inord _)).2.
rewrite x_k -/j; case: ifP => [_|/negbT inner].
  rewrite big_cons big_seq1 /F /entry_value /= Kj Vj zrB zrN zrM zsideE tnE zr_nat.
  by rewrite -/q; ring.
rewrite big_seq1 /F /entry_value /= Kj zrB zrM zrB zsideE tnE zr_nat -/q.
by rewrite (zdotE size_q (size_nth k k_lt)) zr_nat (V_inner inner); ring.
Qed.

Lemma step_value step : step_ok step ->
  0 <= formal F (step_terms step) /\ (is_sequence step -> 0 < formal F (step_terms step)).
Proof.
case: step => [M lower s /and4P[M_gt0 /Z.eqb_eq size_s sizes self_or]|M e /andP[M_gt0 /negbTE K_e]].
  have lt0 : formal F (sequence_terms lower s) < 0.
    by apply: sequence_terms_lt0 => //; apply: Nat2Z.inj; rewrite size_s.
  have gt0 : 0 < formal F (step_terms (Sequence M lower s)).
    by rewrite formal_scale nmulr_rgt0 // zrN oppr_lt0 zr_gt0.
  by split=> [|_ //]; exact: ltW.
split=> //; rewrite /formal big_seq1 mulr_ge0 ?(ltW (zr_gt0 R M_gt0)) //.
by rewrite /F /entry_value K_e; exact: K_ge0.
Qed.

Lemma steps_ge0 steps : all step_ok steps ->
  0 <= formal F (flatten [seq step_terms s | s <- steps]).
Proof.
elim: steps => [_|s steps IHs /= /andP[/step_value[ge0 _] /IHs]]; first by rewrite /formal big_nil.
by rewrite formal_cat; apply: addr_ge0.
Qed.

Lemma steps_gt0 steps : all step_ok steps -> has is_sequence steps ->
  0 < formal F (flatten [seq step_terms s | s <- steps]).
Proof.
elim: steps => //= s steps IHs /andP[ok_s ok_steps]; have [ge0 gt0] := step_value ok_s.
rewrite formal_cat => /orP[/gt0 pos|/(IHs ok_steps) pos].
  by rewrite ltr_paddr ?steps_ge0.
by rewrite ltr_paddl.
Qed.

Lemma check_derivation_claimed : claimed K V (dc_strict c) (dc_claim c).
Proof.
have /and5P[_ scale_gt0 _ steps_ok /andP[strict zero]] := ok.
have := sum_zeroP F zero; rewrite formal_cat formal_scale => /eqP.
rewrite addr_eq0 => /eqP claimE; have zs_gt0 := zr_gt0 R scale_gt0.
rewrite /claimed; case: (dc_strict c) strict => /= [has_seq|_].
  by rewrite -(pmulr_rlt0 _ zs_gt0) claimE oppr_lt0 steps_gt0.
by rewrite -(pmulr_rle0 _ zs_gt0) claimE oppr_le0 steps_ge0.
Qed.

End Check.

Theorem check_derivation_positional_sound c N :
    check_derivation c -> dc_positional c -> dc_n c = Z.of_nat N ->
  derived_positional (dc_m c) N (dc_tn c) (dc_td c) (dc_self c) (dc_free c) (dc_strict c)
    (dc_claim c).
Proof.
move=> ok pos n_eq R causal n' K V def_N K_ge0 V_inner solKV; rewrite def_N in n_eq.
by apply: check_derivation_claimed n_eq K_ge0 V_inner solKV _; rewrite ?pos.
Qed.

Theorem check_derivation_sound c N :
    check_derivation c -> dc_n c = Z.of_nat N ->
  derived (dc_m c) N (dc_tn c) (dc_td c) (dc_self c) (dc_free c) (dc_strict c) (dc_claim c).
Proof.
move=> ok n_eq R causal n' K V def_N K_ge0 V_inner solKV; rewrite def_N in n_eq.
exact: (@check_derivation_claimed c ok R causal n' (uniform K) (uniform V) n_eq
  (fun _ _ => K_ge0) (fun inner _ _ => V_inner inner) solKV (fun _ _ => conj erefl erefl)).
Qed.
