(******************************************************************************)
(* Layer certificates (L1, L2, L3): a checker on binary integers.             *)
(*   htable Tn Td n len == upper bounds of h(len), ..., h(0) as integers over *)
(*                         powers of a common denominator                     *)
(*   check_layer        : inner readout;  check_layer_sound: lower_bound      *)
(*   check_layer_free   : free readout;   check_layer_free_sound              *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay family layer check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma zr_exp (R : realFieldType) x k : zr R (x ^ Z.of_nat k)%bZ = zr R x ^+ k.
Proof.
elim: k => [|k IHk]; first by rewrite expr0.
by rewrite Nat2Z.inj_succ Z.pow_succ_r ?zrM ?IHk ?exprS //; lia.
Qed.

(* Parts j (at most six are needed) with an integer G_j, g(j) <= G_j / L.     *)
Section Table.
Variables (n Tn Td : Z).

Definition part_den (j : nat) : Z := ((n - 2) * (Z.of_nat j * Td - Tn))%bZ.

Definition admissible_parts : seq nat :=
  [seq j <- iota 1 6 | (Tn <? Z.of_nat j * Td)%bZ].

Definition common_den : Z := foldr (fun j L => Z.lcm (part_den j) L) 1%bZ admissible_parts.

(* Entry j holds G_j L^(j-1). *)
Definition part_weights : seq (nat * Z) :=
  [seq (j, (Tn * (common_den / part_den j) * common_den ^ (Z.of_nat j - 1))%bZ)
     | j <- admissible_parts].

Definition parts_ok (L : Z) (parts : seq (nat * Z)) : bool :=
  (0 <? L)%bZ &&
  all (fun jw => [&& (0 < jw.1)%N, (Tn <? Z.of_nat jw.1 * Td)%bZ &
         (Tn * L ^ Z.of_nat jw.1 <=? jw.2 * part_den jw.1)%bZ]) parts.

(* The table, largest s first. *)
Definition hcands (parts : seq (nat * Z)) (hs : seq (option Z)) : seq Z :=
  pmap (fun jw => omap (Z.mul jw.2) (nth None hs jw.1.-1)) parts.

Definition hnext (parts : seq (nat * Z)) (hs : seq (option Z)) : option Z :=
  if hcands parts hs is c :: cs then Some (foldr Z.min c cs) else None.

Definition htable (parts : seq (nat * Z)) (len : nat) : seq (option Z) :=
  iter len (fun hs => hnext parts hs :: hs) [:: Some 1%bZ].

Variables (R : realFieldType) (L : Z) (parts : seq (nat * Z)).
Hypotheses (Tn_gt0 : (0 <? Tn)%bZ) (Td_gt0 : (0 <? Td)%bZ) (n_ge3 : (2 <? n)%bZ).
Hypothesis ok : parts_ok L parts.

Let T : R := ztau R Tn Td.
Let l := zr R L.

Let zTd_gt0 : 0 < zr R Td. Proof. exact: zr_gt0. Qed.
Let T_gt0 : 0 < T. Proof. by rewrite divr_gt0 //; apply: zr_gt0. Qed.

Let l_gt0 : 0 < l.
Proof. by have /andP[L_gt0 _] := ok; apply: zr_gt0. Qed.

Let gn (N : nat) := g N T.

Variable N : nat.
Hypothesis n_eq : n = Z.of_nat N.

Let N_gt2 : (2 < N)%N. Proof. lia. Qed.

Lemma part_lt j : (Tn <? Z.of_nat j * Td)%bZ -> T < j%:R.
Proof. by move=> lt_j; rewrite ltr_pdivr_mulr // -zr_nat -zrM; apply: zr_lt. Qed.

Lemma part_bound jw : jw \in parts ->
  [/\ (0 < jw.1)%N, T < jw.1%:R & gn N jw.1 * l ^+ jw.1 <= zr R jw.2].
Proof.
case: jw => j w j_in; have /andP[_ /allP/(_ _ j_in)/and3P[/= j_gt0 lt_j le_w]] := ok.
have T_lt := part_lt lt_j; split=> //; rewrite /gn /g mulrAC ler_pdivr_mulr.
  have eT : T * zr R Td = zr R Tn by rewrite divfK ?gt_eqF.
  rewrite -(ler_pmul2r zTd_gt0) mulrAC eT -zr_exp -zrM -!mulrA.
  have -> : (N - 2)%N%:R * ((j%:R - T) * zr R Td) = zr R (part_den j).
    by rewrite mulrBl eT /part_den zrM !zrB zrM zr_nat n_eq zr_nat (natrB _ (ltnW N_gt2)).
  by rewrite -zrM; apply: zr_le.
by rewrite mulr_gt0 ?subr_gt0 // ltr0n subn_gt0.
Qed.

Lemma pmap_mem (A B : eqType) (f : A -> option B) s b :
  b \in pmap f s -> exists2 a, a \in s & f a = Some b.
Proof.
elim: s => //= a s IHs; case def_f: (f a) => [b'|] /=.
  rewrite inE => /predU1P[->|/IHs[a' a'_in fa']]; first by exists a; rewrite ?mem_head.
  by exists a'; rewrite // inE a'_in orbT.
by case/IHs=> a' a'_in fa'; exists a'; rewrite // inE a'_in orbT.
Qed.

Lemma foldr_min_mem c cs : foldr Z.min c cs \in c :: cs.
Proof.
elim: cs => [|d cs IHcs] /=; first exact: mem_head.
rewrite /Z.min; case: (_ ?= _)%bZ; rewrite ?inE ?eqxx ?orbT //.
by move: IHcs; rewrite inE => /predU1P[->|->]; rewrite ?eqxx ?orbT.
Qed.

Definition hbounded s (v : Z) : Prop :=
  (s = 0%N \/ T < s%:R) /\ hmin T (gn N) s * l ^+ s <= zr R v.

Lemma htable_bounded len i v :
  nth None (htable parts len) i = Some v -> (i <= len)%N /\ hbounded (len - i) v.
Proof.
elim: len i v => [|len IHlen] [|i] v /=.
- by move=> [<-]; split=> //; split; [left | rewrite hmin0 expr0 mulr1].
- by rewrite nth_nil.
- rewrite /hnext; case def_c: (hcands _ _) => [//|c cs] [def_v]; split=> //.
  have := foldr_min_mem c cs; rewrite def_v -def_c => /pmap_mem[[j w] jw_in].
  have [/= j_gt0 T_lt le_w] := part_bound jw_in.
  case def_h: (nth _ _ _) => [u|//] [<-]; have [j_le [dom_u le_u]] := IHlen _ _ def_h.
  have eq_s : (len.+1 - j)%N = (len - j.-1)%N by move: j_gt0; clear; lia.
  have s_ge : (j <= len.+1)%N by move: j_le; clear; lia.
  rewrite subn0; split.
    by right; apply: lt_le_trans T_lt _; rewrite ler_nat.
  rewrite zrM -{2}(subnKC s_ge) exprD.
  case: dom_u => [s0|T_lt_s].
    have j_eq : j = len.+1 by move: s0 s_ge j_gt0; clear; lia.
    rewrite s0 expr0 mulr1 hmin0 in le_u; rewrite eq_s s0 expr0 mulr1 -j_eq.
    apply: (@le_trans _ _ (gn N j * l ^+ j)).
      by rewrite ler_pmul2r ?exprn_gt0 ?hmin_le_step.
    apply: (le_trans le_w).
    by rewrite ler_pemulr // (le_trans _ le_w) // mulr_ge0 ?exprn_ge0 ?ltW // g_gt0.
  apply: (@le_trans _ _ ((gn N j * hmin T (gn N) (len.+1 - j)) * (l ^+ j * l ^+ (len.+1 - j)))).
    rewrite ler_pmul2r ?mulr_gt0 ?exprn_gt0 // hmin_le_mul //.
    by rewrite eq_s.
  rewrite mulrACA; apply: ler_pmul => //; last by rewrite eq_s.
    by apply: mulr_ge0; [apply/ltW/g_gt0 | apply/ltW/exprn_gt0].
  apply: mulr_ge0; last exact/ltW/exprn_gt0.
  by apply/ltW/hmin_gt0; rewrite ?eq_s // => r T_r; apply: g_gt0.
by move=> /IHlen[i_le bnd]; rewrite subSS.
Qed.

End Table.

(* sum of c_i h_i^2 L^(2 i), i the position from the front (largest s first). *)
Fixpoint wsum (L2 : Z) (cs : seq (Z * option Z)) : Z :=
  if cs is (c, oh) :: cs' then
    ((if oh is Some v then c * (v * v) else 0) + L2 * wsum L2 cs')%bZ
  else 0%bZ.

Section LayerSum.
Variables (m k : nat) (n Tn Td : Z) (undef1 : bool).

Definition layer_coefs (hs : seq (option Z)) : seq (Z * option Z) :=
  let rk := pascal k in let rmk := pascal (m - k) in
  [seq ((nth 0%bZ rk (k - i)%N * nth 0%bZ rmk (k - i)%N)%bZ, nth None hs i) | i <- iota 0 k.+1].

Definition layer_num (L : Z) (hs : seq (option Z)) : Z := wsum (L * L) (layer_coefs hs).

(* Every entry of the table is defined, s = 1 excepted if undef1. *)
Definition defined (hs : seq (option Z)) : bool :=
  all (fun i => (undef1 && (k - i == 1)%N) || isSome (nth None hs i)) (iota 0 k.+1).

Variables (R : realFieldType) (L : Z) (parts : seq (nat * Z)).
Hypotheses (Tn_gt0 : (0 <? Tn)%bZ) (Td_gt0 : (0 <? Td)%bZ) (n_ge3 : (2 <? n)%bZ).
Hypothesis ok : parts_ok n Tn Td L parts.
Variable N : nat.
Hypothesis n_eq : n = Z.of_nat N.
Let hs := htable parts k.
Hypothesis def_hs : defined hs.

Let T : R := ztau R Tn Td.
Let P : pred nat := fun s => ~~ (undef1 && (s == 1)%N).

Lemma wsumE L2 cs : zr R (wsum L2 cs) =
  \sum_(i < size cs) zr R L2 ^+ i *
    (if (nth (0%bZ, None) cs i).2 is Some v then
       zr R (nth (0%bZ, None) cs i).1 * zr R v ^+ 2 else 0).
Proof.
elim: cs => [|[c oh] cs IHcs] /=; first by rewrite big_ord0.
rewrite big_ord_recl /= expr0 mul1r zrD zrM IHcs mulr_sumr; congr (_ + _).
  by case: oh => [v|] //; rewrite !zrM expr2.
by apply: eq_bigr => i _; rewrite /bump /= exprS mulrA.
Qed.

Lemma layer_num_ge :
  layer_den (hmin T (g N T)) m k P * zr R L ^+ (2 * k) <= zr R (layer_num L hs).
Proof.
have L_gt0 : 0 < zr R L by have /andP[L_gt0 _] := ok; apply: zr_gt0.
rewrite /layer_num wsumE size_map size_iota /layer_den big_mkcond mulr_suml.
rewrite (reindex_inj rev_ord_inj) /=; apply: ler_sum => i _.
have i_le : (i <= k)%N by rewrite -ltnS.
rewrite /layer_coefs (nth_map 0%N) ?size_iota // nth_iota //= add0n subSS.
have -> : zr R (nth 0%bZ (pascal k) (k - i) * nth 0%bZ (pascal (m - k)) (k - i))%bZ =
          ('C(k, k - i) * 'C(m - k, k - i))%:R.
  by rewrite zrM !nth_pascal !zr_nat natrM.
have i_in : nat_of_ord i \in iota 0 k.+1 by rewrite mem_iota.
have L2_ge0 : 0 <= zr R (L * L)%bZ ^+ i.
  by apply: exprn_ge0; rewrite zrM; apply: mulr_ge0; apply: ltW.
have := allP def_hs _ i_in; rewrite /P.
case: (undef1 && _) => [_|] /=.
  rewrite mul0r; apply: mulr_ge0 => //.
  by case: (nth None hs i) => [v|] //; apply: mulr_ge0; rewrite ?ler0n ?sqr_ge0.
case def_v: (nth None hs i) => [v|] // _.
have [_ [dom le_v]] := htable_bounded R Tn_gt0 Td_gt0 n_ge3 ok n_eq def_v.
have h_ge0 : 0 <= hmin T (g N T) (k - i).
  have T_gt0 : 0 < T by rewrite divr_gt0 //; apply: zr_gt0.
  case: dom => [->|T_lt]; first by rewrite ler01.
  apply/ltW/hmin_gt0 => // r; apply: g_gt0 => //; lia.
have -> : zr R L ^+ (2 * k) = zr R (L * L)%bZ ^+ i * (zr R L ^+ (k - i)) ^+ 2.
  by rewrite zrM -expr2 -!exprM -exprD; congr (_ ^+ _); lia.
rewrite mulrCA; apply: ler_wpmul2l => //; rewrite -mulrA -exprMn.
apply: ler_wpmul2l; first exact: ler0n.
apply: ler_expn2r => //; rewrite nnegrE.
  by apply: mulr_ge0 => //; apply/exprn_ge0/ltW.
by apply: le_trans le_v; apply: mulr_ge0 => //; apply/exprn_ge0/ltW.
Qed.

End LayerSum.

Lemma ztau_gt0 (R : realFieldType) tn td :
  (0 <? tn)%bZ -> (0 <? td)%bZ -> 0 < ztau R tn td.
Proof. by move=> tn_gt0 td_gt0; rewrite divr_gt0 //; apply: zr_gt0. Qed.

Lemma ztau_lt (R : realFieldType) tn td (k : Z) :
  (0 <? td)%bZ -> (k * tn <? td)%bZ -> zr R k * ztau R tn td < 1.
Proof.
move=> td_gt0 lt_td; rewrite mulrA ltr_pdivr_mulr; last exact: zr_gt0.
by rewrite mul1r -zrM; apply: zr_lt.
Qed.

(* From an inequality of integers to a number of features. *)
Lemma features_from_layer (R : realFieldType) (D v C : nat) (W : Z) (den l : R) (k : nat) :
    0 <= den -> 0 < l -> den * l ^+ k <= zr R W -> C%:R <= D%:R * den ->
    zr R (Z.of_nat v * W)%bZ < C%:R * l ^+ k ->
  (v < D)%N.
Proof.
move=> den_ge0 l_gt0 den_le C_le lt_C; rewrite ltnNge; apply/negP => D_le.
have lk_gt0 : 0 < l ^+ k by rewrite exprn_gt0.
have := lt_C; rewrite ltNge => /negP; apply; rewrite zrM zr_nat.
apply: (@le_trans _ _ (D%:R * (den * l ^+ k))).
  by rewrite mulrA ler_wpmul2r // ltW.
apply: ler_pmul => //; rewrite ?ler0n ?ler_nat //.
by apply: mulr_ge0 => //; apply: ltW.
Qed.

Record layer_cert := LayerCert {
  lc_m : nat; lc_n : Z; lc_tn : Z; lc_td : Z; lc_self : bool; lc_k : nat; lc_value : Z }.

Section Check.
Variable c : layer_cert.
Let m := lc_m c.
Let k := lc_k c.

Definition layer_common : bool :=
  [&& (2 <? lc_n c)%bZ, (0 <? lc_tn c)%bZ, (0 <? lc_td c)%bZ, (0 < k)%N, (k <= m)%N
    & (0 <? lc_value c)%bZ].

(* value - 1 + e features do not suffice for C, when h has numerator Tn. *)
Definition layer_test (Tn : Z) (undef1 : bool) (C : Z) (e : nat) : bool :=
  let L := common_den (lc_n c) Tn (lc_td c) in
  let parts := part_weights (lc_n c) Tn (lc_td c) in
  let hs := htable parts k in
  [&& parts_ok (lc_n c) Tn (lc_td c) L parts, defined k undef1 hs
    & ((lc_value c - 1 + Z.of_nat e) * layer_num m k L hs <? C * L ^ Z.of_nat (2 * k))%bZ].

Definition check_layer : bool :=
  [&& layer_common, (lc_tn c <? lc_td c)%bZ
    & layer_test (lc_tn c) false (nth 0%bZ (pascal m) k) 0].

Definition check_layer_free : bool :=
  let Cmk := nth 0%bZ (pascal m) k in
  let Tn := (2 * lc_tn c)%bZ in
  layer_common &&
  if (Tn <? lc_td c)%bZ then layer_test Tn false Cmk (lc_self c)
  else [&& (Tn <? 2 * lc_td c)%bZ, (1 < k)%N &
           let C := ((Cmk + Z.of_nat m - 1) / Z.of_nat m)%bZ in
           (0 <? C)%bZ && ((C - 1) * Z.of_nat m <? Cmk)%bZ && layer_test Tn true C (lc_self c)].

Lemma layer_test_sound (R : realFieldType) Tn undef1 (C e N D : nat) :
    (0 <? lc_value c)%bZ ->
    (0 <? Tn)%bZ -> (0 <? lc_td c)%bZ -> (2 <? lc_n c)%bZ -> lc_n c = Z.of_nat N ->
    layer_test Tn undef1 (Z.of_nat C) e ->
    C%:R <= D%:R * layer_den (hmin (ztau R Tn (lc_td c)) (g N (ztau R Tn (lc_td c)))) m k
                     (fun s => ~~ (undef1 && (s == 1)%N)) ->
  ((Z.to_nat (lc_value c)).-1 + e < D)%N.
Proof.
move=> v_gt0 Tn_gt0 td_gt0 n_gt2 n_eq /and3P[ok def_hs lt_C] C_le.
have L_gt0 : 0 < zr R (common_den (lc_n c) Tn (lc_td c)).
  by have /andP[L_gt0 _] := ok; apply: zr_gt0.
have num_ge := layer_num_ge m R Tn_gt0 td_gt0 n_gt2 ok n_eq def_hs.
refine (features_from_layer _ L_gt0 num_ge C_le _).
  exact: layer_den_ge0.
rewrite -zr_exp -[C%:R]zr_nat -zrM; apply: zr_lt; move: lt_C.
by congr (_ * _ <? _)%bZ; move: v_gt0; clear; lia.
Qed.

Theorem check_layer_sound N : check_layer -> lc_n c = Z.of_nat N ->
  lower_bound m N (lc_tn c) (lc_td c) (lc_self c) (Z.to_nat (lc_value c)).
Proof.
case/and3P=> /and5P[n_gt2 tn_gt0 td_gt0 k_gt0 /andP[k_le v_gt0]] tau_lt1 test n_eq.
move=> R causal n' K D def_N K_ge0 solK featK.
have n_gt1 : (1 < n')%N by move: n_gt2; rewrite n_eq def_N; clear; lia.
have tau_lt : ztau R (lc_tn c) (lc_td c) < 1.
  have lt_td : (1 * lc_tn c <? lc_td c)%bZ by move: tau_lt1; clear; lia.
  by have := ztau_lt R td_gt0 lt_td; rewrite zr1 mul1r.
have bound := layer_bound n_gt1 (ztau_gt0 R tn_gt0 td_gt0) tau_lt K_ge0 solK featK.
have v_gt0' : (0 < Z.to_nat (lc_value c))%N by move: v_gt0; clear; lia.
rewrite -(prednK v_gt0') -[(Z.to_nat (lc_value c)).-1]addn0.
apply: (@layer_test_sound R (lc_tn c) false 'C(m, k) 0 N) => //.
  by rewrite -nth_pascal.
by rewrite def_N; apply: bound; rewrite k_gt0.
Qed.

Theorem check_layer_free_sound N : check_layer_free -> lc_n c = Z.of_nat N ->
  lower_bound_free m N (lc_tn c) (lc_td c) (lc_self c) (Z.to_nat (lc_value c)).
Proof.
case/andP=> /and5P[n_gt2 tn_gt0 td_gt0 k_gt0 /andP[k_le v_gt0]] test n_eq.
move=> R causal n' K V D def_N K_ge0 solK featK.
have n_gt1 : (1 < n')%N by move: n_gt2; rewrite n_eq def_N; clear; lia.
have tau_gt0 := ztau_gt0 R tn_gt0 td_gt0.
have Tn_gt0 : (0 <? 2 * lc_tn c)%bZ by move: tn_gt0; clear; lia.
have T_eq : ztau R (2 * lc_tn c) (lc_td c) = 2%:R * ztau R (lc_tn c) (lc_td c).
  by rewrite /ztau zrM mulrA.
suff : ((Z.to_nat (lc_value c)).-1 + lc_self c < D + lc_self c)%N.
  by rewrite ltn_add2r; move: v_gt0; clear; lia.
case: ifP test => [T_lt1 test|_ /and3P[T_lt2 k_gt1 /andP[/andP[C_gt0 C_lt] test]]].
  have T1 : 2%:R * ztau R (lc_tn c) (lc_td c) < 1 by apply: (ztau_lt R td_gt0 T_lt1).
  have tau_lt1 : ztau R (lc_tn c) (lc_td c) < 1.
    by apply: le_lt_trans T1; rewrite ler_pemull ?ler1n // ltW.
  apply: (@layer_test_sound R (2 * lc_tn c)%bZ false 'C(m, k) (lc_self c) N) => //.
    by rewrite -nth_pascal.
  rewrite T_eq def_N; apply: (free_layer_bound_small (causal := causal) (V := V)) => //.
  by rewrite k_gt0.
have lt_td : (1 * lc_tn c <? lc_td c)%bZ by move: T_lt2; clear; lia.
have tau_lt1 : ztau R (lc_tn c) (lc_td c) < 1.
  by have := ztau_lt R td_gt0 lt_td; rewrite zr1 mul1r.
have k_in : (1 < k <= m)%N by rewrite k_gt1.
have [N0 C_le N0_le] := free_residue_bound n_gt1 tau_gt0 tau_lt1 K_ge0 solK featK k_in.
set Cz := (_ / _)%bZ in C_gt0 C_lt test.
apply: (@layer_test_sound R (2 * lc_tn c)%bZ true (Z.to_nat Cz) (lc_self c) N) => //.
  by rewrite Z2Nat.id //; move: C_gt0; clear; lia.
rewrite T_eq def_N; apply: le_trans N0_le; rewrite ler_nat.
rewrite nth_pascal in C_lt; move: C_gt0 C_lt C_le k_le k_gt0.
by move: (Cz) ('C(m, k)) => z C; clear; nia.
Qed.

End Check.
