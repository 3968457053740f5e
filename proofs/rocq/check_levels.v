(******************************************************************************)
(* Level reduction: all sequences, from the levels of each row; and a checker *)
(* of one row on binary integers.                                             *)
(*   level_reduction  : in every sequence the contributions of the attended   *)
(*                      tokens have a negative sum                            *)
(*   inner_reduction  : so a kernel with the inner-product readout solves     *)
(*   sfeatures signed D K == D features, non-negative ones unless [signed]    *)
(*   check_levels     : the test of one row, from the least and the largest   *)
(*                      entry on each level of the query                      *)
(*   rows_solve       : rows that pass the test are those of a solving kernel *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay constructions products check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma card_token_le m (A : token m) : (#|A| <= m)%N.
Proof. by rewrite -[m in (_ <= m)%N]card_ord max_card. Qed.

(* f q y a: what the token a adds for the query q when the target is y. *)
Section LevelReduction.
Variables (R : realFieldType) (m n : nat) (causal self : bool).
Variable f : token m -> nat -> token m -> R.

Definition row_negative (q : token m) : Prop :=
  if n is n'.+1 then
    forall a, exists2 M : R,
      forall b, (dot q a <= dot q b)%N -> f q (dot q a) b <= M &
      f q (dot q a) a + n'%:R * M + (if self then f q (dot q a) q else 0) < 0
  else self /\ f q #|q| q < 0.

Lemma level_reduction (x : sequence m n.+1) : row_negative (x ord_max) ->
  \sum_(j | attends causal self ord_max j)
    f (x ord_max) (target causal self x ord_max) (x j) < 0.
Proof.
rewrite /row_negative; case: n x => [|n'] x; set q := x ord_max => /= neg.
  have [self_on q_lt0] := neg.
  have att : attends causal self (ord_max : 'I_1) ord_max by rewrite attends_final self_on.
  have -> : target causal self x ord_max = #|q|.
    rewrite (target_eq att) ?dotxx // => k _; rewrite (_ : k = ord_max) ?dotxx //.
    by apply: val_inj; rewrite [k]ord1.
  by rewrite sum_attends self_on big_pred0 ?add0r // => j; rewrite [j]ord1.
have ord0_neq : (ord0 : 'I_n'.+2) != ord_max by rewrite -val_eqE.
case: (@arg_minnP _ ord0 (fun j : 'I_n'.+2 => j != ord_max) (fun j => dot q (x j)) ord0_neq).
move=> i i_neq i_min; have [M M_ge] := neg (x i).
have -> : target causal self x ord_max = dot q (x i).
  apply: target_eq => [|j]; first by rewrite attends_final i_neq orbT.
  have [->|] := eqVneq j ord_max; first by rewrite dotxx dot_le.
  by move=> /i_min.
apply: le_lt_trans; rewrite sum_attends (bigD1 i) //= -/q.
rewrite ler_add2r ler_add2l mulr_natl -(sum_others_const M i_neq).
by apply: ler_sum => j /andP[/i_min le_ij _]; apply: M_ge.
Qed.

End LevelReduction.

Section InnerReduction.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variable K : kernel R m.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis K_ge0 : forall q a, 0 <= K q a.

Lemma inner_reduction :
    (forall q, row_negative n self (fun q y a => K q a * ((dot q a)%:R - y%:R - tau)) q) ->
  solves causal self tau (uniform K : pkernel R m n.+1) inner.
Proof. by move=> neg x; apply/answers_linear => //; apply: level_reduction (neg _). Qed.

End InnerReduction.

(* Features, non-negative unless [signed]. *)
Section Features.
Variables (R : realFieldType) (m : nat) (signed : bool).
Implicit Types (K : kernel R m) (D : nat).

Definition sfeatures D K : Prop := if signed then has_features D K else has_nonneg_features D K.

Lemma sfeaturesP D K : sfeatures D K <->
  exists phi psi : token m -> 'rV[R]_D,
  [/\ signed || [forall q, forall k, 0 <= phi q 0 k],
      signed || [forall a, forall k, 0 <= psi a 0 k] &
      forall q a, K q a = (phi q *m (psi a)^T) 0 0].
Proof.
have forP (xi : token m -> 'rV[R]_D) :
    reflect (forall q k, 0 <= xi q 0 k) [forall q, forall k, 0 <= xi q 0 k].
  by apply: (iffP forallP) => [xi_ge0 q|xi_ge0 q]; apply/forallP.
rewrite /sfeatures; case: signed; split=> -[phi [psi]].
- by exists phi, psi.
- by case=> _ _ ?; exists phi, psi.
- by case=> /forP ? /forP ? ?; exists phi, psi.
by case=> /forP ? /forP ? ?; exists phi, psi.
Qed.

Lemma sfeatures_ext D K K' : (forall q a, K q a = K' q a) -> sfeatures D K -> sfeatures D K'.
Proof.
move=> eK /sfeaturesP[phi [psi [phi_ge0 psi_ge0 Kpp]]].
by apply/sfeaturesP; exists phi, psi; split=> // q a; rewrite -eK.
Qed.

Lemma sfeatures0 D : sfeatures D (fun _ _ => 0).
Proof.
apply/sfeaturesP; exists (fun _ => 0), (fun _ => 0); split=> [||q a].
- by case: signed => //=; apply/forallP => q; apply/forallP => k; rewrite mxE.
- by case: signed => //=; apply/forallP => q; apply/forallP => k; rewrite mxE.
by rewrite mul0mx mxE.
Qed.

Lemma sfeaturesD D D' K K' :
  sfeatures D K -> sfeatures D' K' -> sfeatures (D + D') (fun q a => K q a + K' q a).
Proof.
move=> /sfeaturesP[phi [psi [phi_ge0 psi_ge0 Kpp]]].
move=> /sfeaturesP[phi' [psi' [phi_ge0' psi_ge0' Kpp']]].
apply/sfeaturesP; exists (fun q => row_mx (phi q) (phi' q)), (fun a => row_mx (psi a) (psi' a)).
have row_ge0 (xi : token m -> 'rV[R]_D) (xi' : token m -> 'rV[R]_D') :
    [forall q, forall k, 0 <= xi q 0 k] -> [forall q, forall k, 0 <= xi' q 0 k] ->
  [forall q, forall k, 0 <= row_mx (xi q) (xi' q) 0 k].
  move=> /forallP xi_ge0 /forallP xi_ge0'; apply/forallP => q; apply/forallP => k.
  by rewrite mxE; case: split => j; [apply: (forallP (xi_ge0 q)) | apply: (forallP (xi_ge0' q))].
split=> [||q a].
- by case: signed phi_ge0 phi_ge0' => //=; apply: row_ge0.
- by case: signed psi_ge0 psi_ge0' => //=; apply: row_ge0.
by rewrite tr_row_mx mul_row_col mxE Kpp Kpp'.
Qed.

Lemma sfeatures_le D D' K : (D <= D')%N -> sfeatures D K -> sfeatures D' K.
Proof.
move=> /subnKC <- /sfeaturesD/(_ (sfeatures0 (D' - D))).
by apply: sfeatures_ext => q a; rewrite addr0.
Qed.

Lemma sfeatures_sum (I : finType) (F : {set I}) (phi psi : I -> token m -> R) K :
    signed \/ (forall i q, 0 <= phi i q) /\ (forall i a, 0 <= psi i a) ->
    (forall q a, K q a = \sum_(i in F) phi i q * psi i a) ->
  sfeatures #|F| K.
Proof.
rewrite /sfeatures => nn K_sum; case: signed nn => [_|[//|[phi_ge0 psi_ge0]]].
  exists (fun q => \row_k phi (enum_val k) q), (fun a => \row_k psi (enum_val k) a) => q a.
  by rewrite K_sum big_enum_val !mxE; apply: eq_bigr => k _; rewrite !mxE.
exact: nonneg_features_sum phi_ge0 psi_ge0 K_sum.
Qed.

End Features.

(* One row. Level by level the least and the largest entry, None where there  *)
(* is no token; the weight of level t against the target y is                 *)
(* td (t - y) - tn.                                                           *)
Section Levels.
Variables (n tn td : Z) (self : bool).

Definition gain (w : Z) (lh : Z * Z) : Z := (if 0 <=? w then w * lh.2 else w * lh.1)%bZ.

(* The largest contribution of some levels, the first of weight w, or M. *)
Fixpoint top_gain (w : Z) (exts : seq (option (Z * Z))) (M : Z) : Z :=
  if exts is e :: exts' then
    top_gain (w + td)%bZ exts' (if e is Some lh then Z.max (gain w lh) M else M)
  else M.

(* The target is the first level; it is d below that of the query. *)
Definition check_target (own d : Z) (exts : seq (option (Z * Z))) : bool :=
  if exts is Some lh :: exts' then
    let e := gain (- tn)%bZ lh in
    (e + (n - 2) * top_gain (td - tn) exts' e +
     (if self then own * (td * d - tn) else 0) <? 0)%bZ
  else true.

Fixpoint check_targets (own d : Z) (exts : seq (option (Z * Z))) : bool :=
  check_target own d exts &&
  (if exts is _ :: exts' then check_targets own (d - 1)%bZ exts' else true).

Definition check_levels (own k : Z) (exts : seq (option (Z * Z))) : bool :=
  all (oapp (fun lh => 0 <=? lh.1)%bZ true) exts &&
  (if (n =? 1)%bZ then self && (0 <? own)%bZ else check_targets own k exts).

Definition extend (tk : nat * Z) (exts : seq (option (Z * Z))) : seq (option (Z * Z)) :=
  set_nth None exts tk.1
    (Some (if nth None exts tk.1 is Some lh then (Z.min lh.1 tk.2, Z.max lh.2 tk.2)
           else (tk.2, tk.2))).

(* The levels of a row, from its entries as pairs (level, entry). *)
Definition extremes (row : seq (nat * Z)) : seq (option (Z * Z)) := foldr extend [::] row.

Definition within (v : Z) (lh : Z * Z) : bool := ((lh.1 <=? v) && (v <=? lh.2))%bZ.

Lemma extremesP row t v : (t, v) \in row ->
  exists2 lh, nth None (extremes row) t = Some lh & within v lh.
Proof.
elim: row => //= -[t' v'] row IHrow; rewrite inE /extend nth_set_nth /= => /predU1P[[-> ->]|].
  rewrite eqxx; eexists; first by [].
  by case: nth => [lh|]; rewrite /within /=; lia.
move=> /IHrow[lh def_lh v_in]; have [<-|_] := eqVneq t t'; last by exists lh.
by rewrite def_lh; eexists; first by []; move: v_in; rewrite /within /=; lia.
Qed.

Lemma gain_ge w v lh : within v lh -> (v * w <= gain w lh)%bZ.
Proof.
case: lh => l h; rewrite /within /gain /=.
by case: (Z.leb_spec 0 w) => ? /andP[? ?]; nia.
Qed.

Lemma top_gain_ge w exts M : (M <= top_gain w exts M)%bZ.
Proof.
elim: exts w M => [|e exts IHexts] w M /=; first exact: Z.le_refl.
by apply: Z.le_trans; last exact: IHexts; case: e => [lh|]; lia.
Qed.

Lemma top_gain_nth w exts M s lh : nth None exts s = Some lh ->
  (gain (w + Z.of_nat s * td) lh <= top_gain w exts M)%bZ.
Proof.
elim: exts w M s => [|e exts IHexts] w M [|s] // => [/= ->|/IHexts IH].
  by rewrite Z.add_0_r; apply: Z.le_trans; [apply: Z.le_max_l | apply: top_gain_ge].
have -> : (w + Z.of_nat s.+1 * td = w + td + Z.of_nat s * td)%bZ by lia.
exact: IH.
Qed.

Lemma check_targets_drop own d exts y :
  check_targets own d exts -> check_target own (d - Z.of_nat y)%bZ (drop y exts).
Proof.
elim: exts d y => [|e exts IHexts] d [|y] //=; rewrite ?Z.sub_0_r => /andP[] // _ /IHexts.
by move=> /(_ y); congr check_target; lia.
Qed.

(* The meaning of the test: r a is the entry of a in the row of q. *)
Variables (m : nat) (q : token m) (r : token m -> Z).
Variable exts : seq (option (Z * Z)).

Definition contribution (y : nat) (a : token m) : Z :=
  (r a * (td * (Z.of_nat (dot q a) - Z.of_nat y) - tn))%bZ.

Definition good_row : Prop :=
  (forall a, (0 <=? r a)%bZ) /\
  if (n =? 1)%bZ then self /\ (0 <? r q)%bZ else
  forall a, exists2 M : Z,
    forall b, (dot q a <= dot q b)%N -> (contribution (dot q a) b <= M)%bZ &
    (contribution (dot q a) a + (n - 2) * M +
      (if self then contribution (dot q a) q else 0) < 0)%bZ.

Hypothesis exts_ok : forall a, exists2 lh, nth None exts (dot q a) = Some lh & within (r a) lh.

Lemma check_levelsP : check_levels (r q) (Z.of_nat #|q|) exts -> good_row.
Proof.
case/andP=> /allP lo_ge0 test; split=> [a|].
  have [lh def_lh /andP[lo_le _]] := exts_ok a.
  have [lt_t|ge_t] := ltnP (dot q a) (size exts); last by rewrite nth_default in def_lh.
  by have := lo_ge0 _ (mem_nth None lt_t); rewrite def_lh /=; lia.
case: ifP test => [_ /andP[]//|n_neq1 test a].
have [lh def_lh r_in] := exts_ok a; have := check_targets_drop (dot q a) test.
have [lt_t|ge_t] := ltnP (dot q a) (size exts); last by rewrite nth_default in def_lh.
rewrite (drop_nth None lt_t) def_lh /check_target; set e := gain _ _; set M := top_gain _ _ _.
move=> /Z.ltb_lt sum_lt0.
have at_a : (contribution (dot q a) a <= e)%bZ.
  by have := @gain_ge (- tn)%bZ _ _ r_in; congr Z.le; congr Z.mul; lia.
exists M => [b le_ab|].
  have [eq_ab|lt_ab] := eqVneq (dot q b) (dot q a).
    have [lh' def_lh' r_in'] := exts_ok b; rewrite eq_ab def_lh in def_lh'.
    case: def_lh' r_in' => <- r_in'; apply: Z.le_trans; last exact: top_gain_ge.
    have := @gain_ge (- tn)%bZ _ _ r_in'; rewrite /contribution eq_ab.
    by congr Z.le; congr Z.mul; lia.
  have [lh' def_lh' r_in'] := exts_ok b; apply: Z.le_trans; first exact: gain_ge r_in'.
  have nth_b : nth None (drop (dot q a).+1 exts) (dot q b - (dot q a).+1) = Some lh'.
    by rewrite nth_drop -def_lh'; congr nth; lia.
  have eq_s : Z.of_nat (dot q b - (dot q a).+1) = (Z.of_nat (dot q b) - Z.of_nat (dot q a) - 1)%bZ.
    by move: le_ab lt_ab; clear; lia.
  have := @top_gain_nth (td - tn)%bZ _ e _ _ nth_b; rewrite eq_s; congr Z.le; congr gain.
  by clear; lia.
have -> : (if self then contribution (dot q a) q else 0)%bZ =
          (if self then r q * (td * (Z.of_nat #|q| - Z.of_nat (dot q a)) - tn) else 0)%bZ.
  by rewrite /contribution dotxx.
lia.
Qed.

End Levels.

Section RowsSolve.
Variables (R : realFieldType) (m n : nat) (tn td : Z) (self causal : bool).
Variable zK : token m -> token m -> Z.
Hypotheses (tn_gt0 : (0 <? tn)%bZ) (td_gt0 : (0 <? td)%bZ).
Hypothesis rows : forall q, good_row (Z.of_nat n.+1) tn td self q (zK q).

Let K : kernel R m := fun q a => zr R (zK q a).

Let tau := ztau R tn td.

Let td_pos : 0 < zr R td. Proof. exact: zr_gt0. Qed.

Lemma rows_ge0 q a : 0 <= K q a.
Proof. by apply: zr_ge0; have [] := rows q. Qed.

Let contributionE q y a :
  zr R (contribution tn td q (zK q) y a) = zr R td * (K q a * ((dot q a)%:R - y%:R - tau)).
Proof.
rewrite /contribution zrM zrB zrM zrB !zr_nat -/(K q a).
have -> : zr R tn = zr R td * tau by rewrite /tau /ztau mulrC divfK ?gt_eqF.
by ring.
Qed.

Theorem rows_solve : solves causal self tau (uniform K : pkernel R m n.+1) inner.
Proof.
have tau_gt0 : 0 < tau by rewrite divr_gt0 ?zr_gt0.
apply: (@inner_reduction R m n causal self tau K tau_gt0 rows_ge0) => q.
have [_] := rows q; rewrite /row_negative; case: n => [|n'].
  by case=> self_on own_gt0; rewrite dotxx subrr sub0r mulrN oppr_lt0 mulr_gt0 // zr_gt0.
have -> : (Z.of_nat n'.+2 =? 1)%bZ = false by lia.
move=> neg a; have [M M_ge sum_lt0] := neg a; exists (zr R M / zr R td) => [b /M_ge M_ge_b|].
  by rewrite ler_pdivl_mulr // mulrC -contributionE zr_leE; apply/Z.leb_le.
rewrite -(pmulr_rlt0 _ td_pos); move: sum_lt0 => /Z.ltb_lt; rewrite -(zr_ltE R) zr0.
rewrite !zrD zrM contributionE; have -> : (Z.of_nat n'.+2 - 2)%bZ = Z.of_nat n' by lia.
rewrite zr_nat; congr (_ < 0); rewrite [RHS]mulrDr [X in _ = X + _]mulrDr; congr (_ + _ + _).
  by rewrite mulrCA [zr R td * _]mulrC divfK ?gt_eqF.
by case: (self) => /=; rewrite ?contributionE ?mulr0.
Qed.

End RowsSolve.
