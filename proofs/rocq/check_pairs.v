(******************************************************************************)
(* Pair certificates (L5): dominance and trace, with weights; the trace with  *)
(* a constant subtracted (L1+).  Both readouts.                               *)
(*   PairsCert m n tn td self value shift unit pairs x y: the claim           *)
(*                        D* >= value at tolerance tn/td; the constant is     *)
(*                        shift / unit, 0 / 1 without one; tokens are numbers *)
(*                        whose bits are the coordinates                      *)
(*   check_dominance, check_dominance_free, check_trace, check_trace_free and *)
(*   their soundness                                                          *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ.
From KattnBounds Require Import defs rates decay weighted decaying check_base check_rates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* The bits of a number, and the inner product of lists of bits. *)
Definition zbits (m : nat) (z : Z) : seq bool :=
  [seq Z.testbit z (Z.of_nat i) | i <- iota 0 m].

Definition bdot (s t : seq bool) : nat := count (fun p => p.1 && p.2) (zip s t).

Lemma size_zbits m z : size (zbits m z) = m.
Proof. by rewrite size_map size_iota. Qed.

Lemma bdotE m s t : size s = m -> size t = m -> bdot s t = dot (tok m s) (tok m t).
Proof.
move=> size_s size_t; have := zdotE size_s size_t.
by rewrite /zdot zcountE count_map; apply: Nat2Z.inj.
Qed.

Lemma rank_const_mx (R : realFieldType) N (b : R) :
  (\rank (\matrix_(i < N, j < N) b) <= (b != 0%R))%N.
Proof.
have [->|_] := eqVneq b 0.
  by rewrite leqn0 mxrank_eq0; apply/eqP/matrixP => i j; rewrite !mxE.
have -> : \matrix_(i < N, j < N) b = (const_mx b : 'cV_N) *m (const_mx 1 : 'rV_N).
  by apply/matrixP => i j; rewrite !mxE big_ord1 !mxE mulr1.
exact: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
Qed.

Record pairs_cert := PairsCert {
  pr_m : nat; pr_n : Z; pr_tn : Z; pr_td : Z; pr_self : bool; pr_value : Z;
  pr_shift : Z; pr_unit : Z; pr_pairs : seq (Z * Z); pr_x : seq Z; pr_y : seq Z }.

Section Check.
Variable c : pairs_cert.
Let m := pr_m c.
Let N := size (pr_pairs c).
Let xs i : Z := nth 0%bZ (pr_x c) i.
Let ys i : Z := nth 0%bZ (pr_y c) i.

Definition pr_qs : seq (seq bool) := [seq zbits m p.1 | p <- pr_pairs c].
Definition pr_as : seq (seq bool) := [seq zbits m p.2 | p <- pr_pairs c].

(* The steps t(q_i,a_j) - t(q_i,a_i), row by row; 0 where they are negative. *)
Definition pr_gaps : seq (seq nat) :=
  let cols := pr_as in
  [seq (let own := bdot qa.1 qa.2 in [seq (bdot qa.1 a - own)%N | a <- cols])
     | qa <- zip pr_qs cols].

Definition pairs_common : bool :=
  [&& (2 <? pr_n c)%bZ, (0 <? pr_tn c)%bZ, (0 <? pr_td c)%bZ, (0 <? pr_value c)%bZ,
      (0 <=? pr_shift c)%bZ && (pr_shift c <? pr_unit c)%bZ,
      all (Z.leb 0) (pr_x c) & all (Z.leb 0) (pr_y c)].

(* Every row that counts decays towards every column that counts; there is    *)
(* one more such column than the row's own, so its diagonal is positive, or   *)
(* the claim is that of one feature, which is always needed.                  *)
Definition pairs_decay (tab : seq Z) (gaps : seq (seq nat)) : bool :=
  all (fun i => (xs i =? 0)%bZ ||
    ((pr_value c =? 1)%bZ || has (fun j => (j != i) && ~~ (ys j =? 0)%bZ) (iota 0 N)) &&
    (let row := nth [::] gaps i in
     all (fun j => [|| j == i, (ys j =? 0)%bZ
                     | let s := nth 0%N row j in (0 < s)%N && known tab s]) (iota 0 N)))
    (iota 0 N).

(* The squared bounds of the entries, times (one * unit)^2. *)
Definition trace_squares (one : Z) (tab : seq Z) : seq Z :=
  let b := (pr_shift c * one)%bZ in
  [seq (let e := Z.max (Z.abs b) (Z.abs (pr_unit c * v - b)) in e * e)%bZ | v <- tab].

Definition trace_diagonal (one : Z) : Z := (pr_unit c * one - pr_shift c * one)%bZ.

Definition trace_sum (one : Z) (sq : seq Z) (gaps : seq (seq nat)) : Z :=
  let d := trace_diagonal one in
  zsum [seq (let row := nth [::] gaps i in xs i * xs i *
     zsum [seq (if j == i then ys j * ys j * (d * d)
                else ys j * ys j * nth 0 sq (nth 0%N row j)) | j <- iota 0 N])%bZ
     | i <- iota 0 N].

Definition trace_test (Tn : Z) (e : nat) : bool :=
  let: (one, tab) := decay_table (pr_n c) Tn (pr_td c) m in
  let gaps := pr_gaps in
  let S := (zsum [seq xs i * ys i | i <- iota 0 N] * trace_diagonal one)%bZ in
  [&& table_ok (pr_n c) Tn (pr_td c) one tab, pairs_decay tab gaps
    & ((pr_value c - 1 + Z.of_nat e + Z.b2z (negb (pr_shift c =? 0))) *
         trace_sum one (trace_squares one tab) gaps <? S * S)%bZ].

Definition dominance_test (Tn : Z) (e : nat) : bool :=
  let: (one, tab) := decay_table (pr_n c) Tn (pr_td c) m in
  let gaps := pr_gaps in
  [&& table_ok (pr_n c) Tn (pr_td c) one tab, pairs_decay tab gaps,
      (pr_value c + Z.of_nat e <=? Z.of_nat N)%bZ &
      all (fun i => (0 <? xs i * ys i)%bZ &&
             let row := nth [::] gaps i in
             (zsum [seq ys j * nth 0 tab (nth 0%N row j) | j <- iota 0 N & j != i]
                <=? ys i * one)%bZ)
        (iota 0 N)].

Definition check_trace : bool :=
  [&& pairs_common, (pr_tn c <=? pr_td c)%bZ & trace_test (pr_tn c) 0].

Definition check_trace_free : bool :=
  pairs_common && trace_test (2 * pr_tn c) (pr_self c).

Definition check_dominance : bool :=
  [&& pairs_common, (pr_tn c <=? pr_td c)%bZ & dominance_test (pr_tn c) 0].

Definition check_dominance_free : bool :=
  pairs_common && dominance_test (2 * pr_tn c) (pr_self c).

Section Soundness.
Variables (R : realFieldType) (Tn : Z) (len e D : nat) (A : kernel R m).
Hypothesis common : pairs_common.
Hypothesis n_eq : pr_n c = Z.of_nat len.
Hypothesis Tn_gt0 : (0 <? Tn)%bZ.
Hypothesis decA : decaying (ztau R Tn (pr_td c)) len (D + e) A.
Hypothesis value_neq1 : (pr_value c =? 1)%bZ = false.

Let q (i : 'I_N) : token m := tok m (nth [::] pr_qs i).
Let a (i : 'I_N) : token m := tok m (nth [::] pr_as i).
Let x (i : 'I_N) : R := zr R (xs i).
Let y (i : 'I_N) : R := zr R (ys i).
Let gap (i j : 'I_N) : nat := nth 0%N (nth [::] pr_gaps i) j.

Let gapE i j : gap i j = (dot (q i) (a j) - dot (q i) (a i))%N.
Proof.
have i_lt : (i < size (zip pr_qs pr_as))%N by rewrite size_zip !size_map minnn.
have as_lt (k : 'I_N) : (k < size pr_as)%N by rewrite size_map.
have size_q (k : 'I_N) : size (nth [::] pr_qs k) = m.
  by rewrite (nth_map (0%bZ, 0%bZ)) ?size_zbits.
have size_a (k : 'I_N) : size (nth [::] pr_as k) = m.
  by rewrite (nth_map (0%bZ, 0%bZ)) ?size_zbits.
rewrite /gap /pr_gaps (nth_map ([::], [::])) // nth_zip ?size_map //=.
by rewrite (nth_map [::]) // !(@bdotE m).
Qed.

Let seq_ge0 s i : all (Z.leb 0) s -> 0 <= zr R (nth 0%bZ s i).
Proof.
move=> /allP nn; have [i_lt|i_ge] := ltnP i (size s); last by rewrite nth_default.
by apply/zr_ge0/nn/mem_nth.
Qed.

Let x_ge0 i : 0 <= x i.
Proof. by have /and5P[_ _ _ _ /and3P[_ nn _]] := common; apply: seq_ge0. Qed.

Let y_ge0 i : 0 <= y i.
Proof. by have /and5P[_ _ _ _ /and3P[_ _ nn]] := common; apply: seq_ge0. Qed.

Section Table.
Variables (one : Z) (tab : seq Z).
Hypothesis ok : table_ok (pr_n c) Tn (pr_td c) one tab.
Hypothesis decay_ok : pairs_decay tab pr_gaps.

Let H (i j : 'I_N) : R := rate R one tab (gap i j).

Let in_N (i : 'I_N) : (i : nat) \in iota 0 N.
Proof. by rewrite mem_iota /= add0n. Qed.

Let gap_known (i j : 'I_N) : i != j -> x i != 0 -> y j != 0 ->
  (0 < gap i j)%N && known tab (gap i j).
Proof.
move=> ne xi yj; have := allP decay_ok _ (in_N i); rewrite -(zr_eq0 R) (negbTE xi) /=.
case/andP=> _ /allP/(_ _ (in_N j)).
by rewrite -(zr_eq0 R) (negbTE yj) val_eqE eq_sym (negbTE ne).
Qed.

Let ratio (i j : 'I_N) : i != j -> x i * y j != 0 -> A (q i) (a j) < H i j * A (q i) (a i).
Proof.
rewrite mulf_eq0 negb_or => ne /andP[xi yj].
have /andP[gap_gt0 known_ij] := gap_known ne xi yj.
have /and5P[n_gt2 _ td_gt0 _ _] := common.
apply: (rate_decay Tn_gt0 td_gt0 n_gt2 n_eq ok decA gap_gt0 known_ij).
by rewrite gapE subnKC // ltnW // -subn_gt0 -gapE.
Qed.

Let A_gt0 (i : 'I_N) : x i != 0 -> 0 < A (q i) (a i).
Proof.
move=> xi; have [A_ge0 _ _] := decA.
have := allP decay_ok _ (in_N i); rewrite -(zr_eq0 R) (negbTE xi) /=.
rewrite value_neq1 => /andP[/hasP[j]]; rewrite mem_iota /= add0n => j_lt /andP[ne yj] _.
rewrite -(zr_eq0 R) in yj; pose k := Ordinal j_lt.
have lt_H : A (q i) (a k) < H i k * A (q i) (a i).
  by apply: ratio; [rewrite eq_sym -val_eqE | rewrite mulf_neq0].
rewrite lt_neqAle A_ge0 andbT; apply: contraTneq (A_ge0 (q i) (a k)) => A0.
by rewrite -ltNge; move: lt_H; rewrite -A0 mulr0.
Qed.

Let X : R := zr R one * zr R (pr_unit c).
Let b : R := zr R (pr_shift c) / zr R (pr_unit c).

Let unit_gt0 : 0 < zr R (pr_unit c).
Proof.
have /and5P[_ _ _ _ /andP[/andP[s_ge0 s_lt] _]] := common.
by apply: zr_gt0; move: s_ge0 s_lt; clear; lia.
Qed.

Let one_gt0 : 0 < zr R one. Proof. exact: table_one ok. Qed.
Let X_gt0 : 0 < X. Proof. exact: mulr_gt0. Qed.

Let bX : zr R (pr_shift c * one) = b * X.
Proof. by rewrite /b /X [_ * zr R (pr_unit c)]mulrC mulrA divfK ?gt_eqF // zrM. Qed.

Let trace_diagonalE : zr R (trace_diagonal one) = (1 - b) * X.
Proof. by rewrite /trace_diagonal zrB bX zrM mulrBl mul1r [X]mulrC. Qed.

Let trace_squaresE s : known tab s ->
  zr R (nth 0%bZ (trace_squares one tab) s) = (shift_max (rate R one tab s) b * X) ^+ 2.
Proof.
move=> known_s; have s_lt : (s < size tab)%N.
  by rewrite ltnNge; apply: contraTN known_s => le_s; rewrite /known nth_default.
have e_s : zr R (pr_unit c * nth 0 tab s - pr_shift c * one) = (rate R one tab s - b) * X.
  rewrite zrB bX mulrBl zrM; congr (_ - _).
  by rewrite /rate /X mulrA divfK ?gt_eqF // mulrC.
rewrite (nth_map 0%bZ) // zrM -expr2 zr_max !zr_abs bX e_s.
by rewrite ![`|_ * X|]normrM (gtr0_norm X_gt0) -maxr_pmull // ltW.
Qed.

Let W : R := \sum_i \sum_j
  (x i * y j * (if i == j then 1 - b else shift_max (H i j) b)) ^+ 2.

Let W_ge0 : 0 <= W.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.

Let trace_sumE : zr R (trace_sum one (trace_squares one tab) pr_gaps) = W * X ^+ 2.
Proof.
rewrite zsum_iotaT mulr_suml; apply: eq_bigr => i _; rewrite !zrM -/(x i) -expr2 zsum_iotaT.
have [->|xi] := eqVneq (x i) 0.
  by rewrite expr0n mul0r big1 ?mul0r // => j _; rewrite !mul0r expr0n.
rewrite mulr_sumr mulr_suml; apply: eq_bigr => j _; rewrite val_eqE eq_sym -/(gap i j).
rewrite 2![in RHS]exprMn -[in RHS]mulrA -[in RHS]mulrA; congr (_ * _).
have [<-|ne] := eqVneq i j.
  by rewrite !zrM trace_diagonalE -/(y i) -!expr2 exprMn mulrA.
rewrite !zrM -/(y j) -expr2; have [->|yj] := eqVneq (y j) 0; first by rewrite expr0n /= !mul0r.
by have /andP[_ known_ij] := gap_known ne xi yj; rewrite trace_squaresE // exprMn mulrA.
Qed.

Lemma trace_features :
    let S := (zsum [seq xs i * ys i | i <- iota 0 N] * trace_diagonal one)%bZ in
    ((pr_value c - 1 + Z.of_nat e + Z.b2z (negb (pr_shift c =? 0))) *
       trace_sum one (trace_squares one tab) pr_gaps <? S * S)%bZ ->
  (Z.to_nat (pr_value c) <= D)%N.
Proof.
move=> S /(zr_lt R); have [A_ge0 featA _] := decA.
have := shifted_trace A_ge0 A_gt0 featA ratio (rank_const_mx N b).
rewrite -/W -mulr_suml => trace; rewrite zrM trace_sumE [X in _ < X]zrM -expr2 zrM.
rewrite zsum_iotaT trace_diagonalE (eq_bigr (fun i => x i * y i)) => [|i _]; last by rewrite zrM.
have cost : zr R (Z.b2z (negb (pr_shift c =? 0)%bZ)) = (b != 0)%:R.
  rewrite mulf_eq0 invr_eq0 (gt_eqF unit_gt0) orbF zr_eq0.
  by case: Z.eqb_spec => _; rewrite ?zr0 ?zr1.
move: (X) X_gt0 => Y Y_gt0; rewrite [_ * (W * Y ^+ 2)]mulrA [_ * ((1 - b) * Y)]mulrA.
rewrite [X in _ < X]exprMn ltr_pmul2r ?exprn_gt0 // => /lt_le_trans/(_ trace).
have /and4P[_ _ _ /andP[v_gt0 _]] := common.
exact: value_le v_gt0 W_ge0 cost.
Qed.

Lemma dominance_features :
    (pr_value c + Z.of_nat e <=? Z.of_nat N)%bZ ->
    all (fun i => (0 <? xs i * ys i)%bZ && (let row := nth [::] pr_gaps i in
      zsum [seq ys j * nth 0 tab (nth 0%N row j) | j <- iota 0 N & j != i] <=? ys i * one)%bZ)
      (iota 0 N) ->
  (Z.to_nat (pr_value c) <= D)%N.
Proof.
move=> v_le /allP rows; have [A_ge0 featA _] := decA.
suff : (N <= D + e)%N by move: v_le; clear; lia.
apply: (weighted_dominance A_ge0 A_gt0 featA ratio x_ge0 y_ge0) => i.
  by have /andP[xy_gt0 _] := rows _ (in_N i); rewrite /x /y -zrM zr_gt0.
have /andP[_ /(zr_le R)] := rows _ (in_N i); rewrite zsum_iota zrM => dom.
rewrite -(ler_pmul2r one_gt0) -mulrA; apply: le_trans (ler_wpmul2l (x_ge0 i) dom).
rewrite mulr_sumr mulr_suml le_eqVlt; apply/orP; left; apply/eqP.
by apply: eq_bigr => j _; rewrite zrM /H /rate [_ * (_ / _)]mulrA divfK ?gt_eqF // -mulrA.
Qed.

End Table.
Lemma trace_test_sound : trace_test Tn e -> (Z.to_nat (pr_value c) <= D)%N.
Proof.
by rewrite /trace_test; case: decay_table => one tab /and3P[ok dec]; apply: trace_features.
Qed.

Lemma dominance_test_sound : dominance_test Tn e -> (Z.to_nat (pr_value c) <= D)%N.
Proof.
rewrite /dominance_test; case: decay_table => one tab /and4P[ok dec v_le].
exact: dominance_features ok dec v_le.
Qed.

End Soundness.

(* The two readouts. *)
Section Readouts.
Variable test : Z -> nat -> bool.
Hypothesis test_sound : forall (R : realFieldType) Tn len e D (A : kernel R m),
  pairs_common -> pr_n c = Z.of_nat len -> (0 <? Tn)%bZ ->
  decaying (ztau R Tn (pr_td c)) len (D + e) A -> (pr_value c =? 1)%bZ = false -> test Tn e ->
  (Z.to_nat (pr_value c) <= D)%N.
Variable len : nat.
Hypothesis n_eq : pr_n c = Z.of_nat len.

Lemma readout_inner :
    [&& pairs_common, (pr_tn c <=? pr_td c)%bZ & test (pr_tn c) 0] ->
  lower_bound m len (pr_tn c) (pr_td c) (pr_self c) (Z.to_nat (pr_value c)).
Proof.
case/and3P=> common tau_le1 ok; have /and3P[n_gt2 tn_gt0 /andP[td_gt0 _]] := common.
case v1: (pr_value c =? 1)%bZ; first by move/Z.eqb_eq: v1 => ->; apply: lower_bound1.
apply: (lower_bound_decaying n_gt2 tn_gt0 td_gt0 n_eq tau_le1) => R D A dec.
exact: (test_sound common n_eq tn_gt0 dec v1 ok).
Qed.

Lemma readout_free :
    pairs_common && test (2 * pr_tn c) (pr_self c) ->
  lower_bound_free m len (pr_tn c) (pr_td c) (pr_self c) (Z.to_nat (pr_value c)).
Proof.
case/andP=> common ok; have /and3P[n_gt2 tn_gt0 /andP[td_gt0 _]] := common.
case v1: (pr_value c =? 1)%bZ; first by move/Z.eqb_eq: v1 => ->; apply: lower_bound_free1.
have Tn_gt0 : (0 <? 2 * pr_tn c)%bZ by move: tn_gt0; clear; lia.
apply: (lower_bound_free_decaying n_gt2 tn_gt0 td_gt0 n_eq) => R D A dec.
exact: (test_sound common n_eq Tn_gt0 dec v1 ok).
Qed.

End Readouts.

Theorem check_trace_sound len : check_trace -> pr_n c = Z.of_nat len ->
  lower_bound m len (pr_tn c) (pr_td c) (pr_self c) (Z.to_nat (pr_value c)).
Proof. by move=> ok n_eq; exact: (readout_inner trace_test_sound n_eq ok). Qed.

Theorem check_trace_free_sound len : check_trace_free -> pr_n c = Z.of_nat len ->
  lower_bound_free m len (pr_tn c) (pr_td c) (pr_self c) (Z.to_nat (pr_value c)).
Proof. by move=> ok n_eq; exact: (readout_free trace_test_sound n_eq ok). Qed.

Theorem check_dominance_sound len : check_dominance -> pr_n c = Z.of_nat len ->
  lower_bound m len (pr_tn c) (pr_td c) (pr_self c) (Z.to_nat (pr_value c)).
Proof. by move=> ok n_eq; exact: (readout_inner dominance_test_sound n_eq ok). Qed.

Theorem check_dominance_free_sound len : check_dominance_free -> pr_n c = Z.of_nat len ->
  lower_bound_free m len (pr_tn c) (pr_td c) (pr_self c) (Z.to_nat (pr_value c)).
Proof. by move=> ok n_eq; exact: (readout_free dominance_test_sound n_eq ok). Qed.

End Check.
