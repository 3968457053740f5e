(******************************************************************************)
(* What the checkers of the lower bounds share: tables of rates, binomials    *)
(* and polynomials, in binary integers.                                       *)
(*   decay_table n Tn Td len == (one, tab): tab_s / one bounds h(s) at length *)
(*                     n and tolerance Tn/Td from above, s = 0, ..., len;     *)
(*                     tab_s = 0 where h(s) is undefined.  Not trusted:       *)
(*   table_ok        == the inequalities that make it such a table            *)
(*   rate one tab s  == the bound tab_s / one in an ordered field             *)
(*   binomials n len == C(n,0), ..., C(n,len)                                 *)
(*   zbin n k        == C(n,k)                                                *)
(*   zsum s          == the sum of a list                                     *)
(*   newton_values c len == the values of newton c at 0, ..., len - 1         *)
(*   lower_bound_decaying, lower_bound_free_decaying : a claim about all      *)
(*                     decaying kernels is one about all heads that solve     *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ.
From KattnBounds Require Import defs rates decay shift decaying check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Embedding.
Variable R : realFieldType.

Lemma zr_eq0 x : (zr R x == 0) = (x =? 0)%bZ.
Proof. by rewrite intr_eq0; lia. Qed.

Lemma zr_max x y : zr R (Z.max x y) = Num.max (zr R x) (zr R y).
Proof.
case: (leP (zr R x) (zr R y)); rewrite ?zr_leE ?zr_ltE => xy; congr (zr R _); move: xy; clear; lia.
Qed.

Lemma zr_abs x : zr R (Z.abs x) = `|zr R x|.
Proof.
case: (ger0P (zr R x)); rewrite -?zrN -(zr0 R) ?zr_leE ?zr_ltE => x0; congr (zr R _);
  move: x0; clear; lia.
Qed.

Lemma ztau_gt0 tn td : (0 <? tn)%bZ -> (0 <? td)%bZ -> 0 < ztau R tn td.
Proof. by move=> tn_gt0 td_gt0; rewrite divr_gt0 //; apply: zr_gt0. Qed.

Lemma ztau_ltE tn td k : (0 <? td)%bZ -> (ztau R tn td < k%:R) = (tn <? Z.of_nat k * td)%bZ.
Proof. by move=> td_gt0; rewrite ltr_pdivr_mulr ?zr_gt0 // -zr_nat -zrM zr_ltE. Qed.

Lemma ztau_leE tn td k : (0 <? td)%bZ -> (ztau R tn td <= k%:R) = (tn <=? Z.of_nat k * td)%bZ.
Proof. by move=> td_gt0; rewrite ler_pdivr_mulr ?zr_gt0 // -zr_nat -zrM zr_leE. Qed.

Lemma ztau2 tn td : ztau R (2 * tn) td = 2%:R * ztau R tn td.
Proof. by rewrite /ztau zrM mulrA. Qed.

End Embedding.

Section Table.
Variables (n Tn Td : Z).

(* g(j) = Tn / part_den j; parts of at most six suffice. *)
Definition part_den (j : nat) : Z := ((n - 2) * (Z.of_nat j * Td - Tn))%bZ.

Definition parts : seq nat := [seq j <- iota 1 6 | (Tn <? Z.of_nat j * Td)%bZ].

Definition frac_min (x y : Z * Z) : Z * Z :=
  if (x.1 * y.2 <=? y.1 * x.2)%bZ then x else y.

Definition frac_reduce (x : Z * Z) : Z * Z :=
  let d := Z.gcd x.1 x.2 in (x.1 / d, x.2 / d)%bZ.

(* The next fraction, from the earlier ones, largest s first; 0/1 if undefined. *)
Definition next_frac (hs : seq (Z * Z)) : Z * Z :=
  let steps := [seq (Tn * (nth (0, 1) hs j.-1).1, part_den j * (nth (0, 1) hs j.-1).2)%bZ
                 | j <- parts & (0 <? (nth (0, 1) hs j.-1).1)%bZ] in
  if steps is x :: xs then frac_reduce (foldr frac_min x xs) else (0, 1)%bZ.

Definition fracs (len : nat) : seq (Z * Z) :=
  rev (iter len (fun hs => next_frac hs :: hs) [:: (1, 1)%bZ]).

Definition decay_table (len : nat) : Z * seq Z :=
  let hs := fracs len in
  let one := foldr Z.lcm 1%bZ (map snd hs) in
  (one, [seq (x.1 * (one / x.2))%bZ | x <- hs]).

Definition table_ok (one : Z) (tab : seq Z) : bool :=
  [&& (0 <? one)%bZ, nth 0%bZ tab 0 == one &
      all (fun s => (nth 0 tab s =? 0)%bZ ||
        has (fun j => [&& (j <= s)%N, (Tn <? Z.of_nat j * Td)%bZ, (0 <? nth 0 tab (s - j)%N)%bZ
               & (Tn * nth 0 tab (s - j)%N <=? nth 0 tab s * part_den j)%bZ]) parts)
        (iota 1 (size tab).-1)].

Definition known (tab : seq Z) (s : nat) : bool := (0 <? nth 0 tab s)%bZ.

Variables (R : realFieldType) (one : Z) (tab : seq Z) (N : nat).
Hypotheses (Tn_gt0 : (0 <? Tn)%bZ) (Td_gt0 : (0 <? Td)%bZ) (n_gt2 : (2 <? n)%bZ).
Hypothesis n_eq : n = Z.of_nat N.
Hypothesis ok : table_ok one tab.

Definition rate (s : nat) : R := zr R (nth 0%bZ tab s) / zr R one.

Let T : R := ztau R Tn Td.
Let T_gt0 : 0 < T. Proof. exact: ztau_gt0. Qed.
Let N_gt2 : (2 < N)%N. Proof. by move: n_gt2; rewrite n_eq; clear; lia. Qed.

Lemma table_one : 0 < zr R one. Proof. by have /and3P[/zr_gt0] := ok. Qed.

Lemma part_step j u v : (Tn <? Z.of_nat j * Td)%bZ -> (0 <? u)%bZ ->
  (Tn * u <=? v * part_den j)%bZ -> g N T j * zr R u <= zr R v.
Proof.
move=> lt_j u_gt0 le_uv; have zTd_gt0 : 0 < zr R Td by apply: zr_gt0.
have eT : T * zr R Td = zr R Tn by rewrite divfK ?gt_eqF.
have den_gt0 : 0 < (N - 2)%N%:R * (j%:R - T).
  by rewrite mulr_gt0 ?subr_gt0 ?ztau_ltE // ltr0n subn_gt0.
rewrite /g mulrAC ler_pdivr_mulr // -(ler_pmul2r zTd_gt0) mulrAC eT -zrM.
have -> : zr R v * ((N - 2)%N%:R * (j%:R - T)) * zr R Td = zr R (v * part_den j).
  rewrite zrM -mulrA; congr (_ * _); rewrite -mulrA mulrBl eT /part_den zrM !zrB zrM zr_nat n_eq.
  by rewrite zr_nat (natrB _ (ltnW N_gt2)).
exact: zr_le.
Qed.

Lemma table_bound s : known tab s ->
  (s = 0%N \/ T < s%:R) /\ h N T s * zr R one <= zr R (nth 0%bZ tab s).
Proof.
have /and3P[_ /eqP tab0 /allP steps] := ok.
elim/ltn_ind: s => -[|s] IHs known_s.
  by rewrite tab0 /h hmin0 mul1r; split; [left|].
have s_lt : (s.+1 < size tab)%N.
  by rewrite ltnNge; apply: contraTN known_s => le_s; rewrite /known nth_default.
have /steps : s.+1 \in iota 1 (size tab).-1 by rewrite mem_iota; move: s_lt; clear; lia.
have -> /= : (nth 0 tab s.+1 =? 0)%bZ = false by move: known_s; rewrite /known; clear; lia.
case/hasP=> j _ /and4P[j_le lt_j u_gt0 le_u].
have T_lt : T < j%:R by rewrite ztau_ltE.
have j_gt0 := part_gt0 T_gt0 T_lt; have T_lt_s : T < s.+1%:R.
  by apply: lt_le_trans T_lt _; rewrite ler_nat.
have [|dom le_h] := IHs (s.+1 - j)%N _ u_gt0; first by move: j_gt0 j_le; clear; lia.
split; first by right.
apply: le_trans (part_step lt_j u_gt0 le_u).
apply: (@le_trans _ _ (g N T j * (h N T (s.+1 - j) * zr R one))); last first.
  by rewrite ler_wpmul2l // ltW // g_gt0.
rewrite mulrA ler_pmul2r ?table_one //; case: dom => [s0|T_lt_r].
  have -> : j = s.+1 by move: s0 j_le; clear; lia.
  by rewrite subnn /h hmin0 mulr1 hmin_le_step.
exact: hmin_le_mul.
Qed.

Lemma rate_decay m D (A : kernel R m) : decaying T N D A ->
  forall (q a b : token m) s, (0 < s)%N -> known tab s ->
  dot q b = (dot q a + s)%N -> A q b < rate s * A q a.
Proof.
case=> A_ge0 _ decay q a b s s_gt0 /table_bound[dom le_h] eq_s.
have T_lt : T < s%:R by case: dom => // s0; rewrite s0 in s_gt0.
apply: lt_le_trans (decay _ _ _ _ eq_s T_lt) _; apply: ler_wpmul2r => //.
by rewrite /rate ler_pdivl_mulr ?table_one.
Qed.

End Table.

(* C(n, s), C(n, s + 1), ... from x = C(n, s). *)
Fixpoint binomials_from (n s x : Z) (len : nat) : seq Z :=
  if len is l.+1 then x :: binomials_from n (s + 1) (x * (n - s) / (s + 1)) l else [::].

Definition binomials (n len : nat) : seq Z := binomials_from (Z.of_nat n) 0 1 len.+1.

Definition zbin (n k : nat) : Z := nth 0%bZ (binomials n k) k.

Lemma nth_binomials_from (n s len i : nat) : (i < len)%N ->
  nth 0%bZ (binomials_from (Z.of_nat n) (Z.of_nat s) (Z.of_nat 'C(n, s)) len) i =
  Z.of_nat 'C(n, s + i).
Proof.
elim: len s i => [|len IHlen] s [|i] //= i_lt; first by rewrite addn0.
have -> : (Z.of_nat s + 1 = Z.of_nat s.+1)%bZ by lia.
have -> : (Z.of_nat 'C(n, s) * (Z.of_nat n - Z.of_nat s) / Z.of_nat s.+1 =
           Z.of_nat 'C(n, s.+1))%bZ.
  have [n_lt|s_le] := ltnP n s.
    by rewrite !bin_small //; apply: ltnW.
  apply/esym/Z.div_unique_exact; first by lia.
  by have := mul_bin_left n s; nia.
by rewrite IHlen // addSnnS.
Qed.

Lemma nth_binomials n len i : (i <= len)%N -> nth 0%bZ (binomials n len) i = Z.of_nat 'C(n, i).
Proof. by move=> i_le; have := @nth_binomials_from n 0 len.+1 i i_le; rewrite bin0. Qed.

Lemma zbinE n k : zbin n k = Z.of_nat 'C(n, k).
Proof. exact: nth_binomials. Qed.

(* The coefficients of the polynomial at s + 1. *)
Fixpoint newton_step (c : seq Z) : seq Z :=
  if c is x :: c' then (x + nth 0 c' 0)%bZ :: newton_step c' else [::].

Fixpoint newton_values (c : seq Z) (len : nat) : seq Z :=
  if len is l.+1 then nth 0%bZ c 0 :: newton_values (newton_step c) l else [::].

Section Newton.
Variables (R : realFieldType) (u : R).
Implicit Type c : seq Z.

Definition zr_seq c : seq R := [seq zr R x / u | x <- c].

Lemma zr_seq_nth c i : (zr_seq c)`_i = zr R (nth 0%bZ c i) / u.
Proof.
have [i_lt|i_ge] := ltnP i (size c); first by rewrite (nth_map 0%bZ).
by rewrite !nth_default ?size_map // zr0 mul0r.
Qed.

Lemma size_newton_step c : size (newton_step c) = size c.
Proof. by elim: c => //= x c ->. Qed.

Lemma nth_newton_step c i :
  nth 0%bZ (newton_step c) i = (nth 0 c i + nth 0 c i.+1)%bZ.
Proof. by elim: c i => [|x c IHc] [|i] //=; rewrite ?IHc. Qed.

Lemma newtonS c s : newton (zr_seq (newton_step c)) s = newton (zr_seq c) s.+1.
Proof.
rewrite /newton !size_map size_newton_step; case def_c: (size c) => [|l].
  by rewrite !big_ord0.
under eq_bigr => i _ do rewrite zr_seq_nth nth_newton_step zrD mulrDl -!zr_seq_nth mulrDl.
rewrite big_split /= [RHS]big_ord_recl bin0 mulr1.
under [in RHS]eq_bigr => i _ do rewrite lift0 binS natrD mulrDr.
rewrite big_split /= addrA; congr (_ + _).
  by rewrite big_ord_recl bin0 mulr1; congr (_ + _); apply: eq_bigr => i _; rewrite lift0.
rewrite big_ord_recr /= [(zr_seq c)`_l.+1]nth_default ?size_map ?def_c // mul0r addr0.
by apply: eq_bigr.
Qed.

Lemma nth_newton_values c len s : (s < len)%N ->
  zr R (nth 0%bZ (newton_values c len) s) / u = newton (zr_seq c) s.
Proof.
elim: len c s => [|len IHlen] c [|s] //=; first by rewrite newton0 zr_seq_nth.
by rewrite ltnS => s_lt; rewrite IHlen // newtonS.
Qed.

End Newton.

(* Sums of integers. *)
Definition zsum (s : seq Z) : Z := foldr Z.add 0%bZ s.

Lemma zsum_iota (R : realFieldType) (F : nat -> Z) (P : pred nat) N :
  zr R (zsum [seq F i | i <- iota 0 N & P i]) = \sum_(i < N | P i) zr R (F i).
Proof.
rewrite -(big_mkord P (fun i => zr R (F i))) /index_iota subn0 -big_filter.
by elim: [seq i <- _ | _] => [|i s IHs]; rewrite ?big_nil ?big_cons //= zrD IHs.
Qed.

Lemma zsum_iotaT (R : realFieldType) (F : nat -> Z) N :
  zr R (zsum [seq F i | i <- iota 0 N]) = \sum_(i < N) zr R (F i).
Proof. by rewrite -[iota 0 N]filter_predT zsum_iota. Qed.

(* More than value - 1 features, from what the excess e and the cost r leave. *)
Lemma value_le (R : realFieldType) (v cost : Z) (e r D : nat) (W : R) :
    (0 <? v)%bZ -> 0 <= W -> zr R cost = r%:R ->
    zr R (v - 1 + Z.of_nat e + cost) * W < (D + e + r)%:R * W ->
  (Z.to_nat v <= D)%N.
Proof.
move=> v_gt0; rewrite le_eqVlt => /predU1P[<-|W_gt0] cost_r; first by rewrite !mulr0 ltxx.
rewrite ltr_pmul2r // zrD cost_r natrD ltr_add2r zrD zr_nat natrD ltr_add2r.
by rewrite -(zr_nat R D) zr_ltE; move: v_gt0; clear; lia.
Qed.

(* From decaying kernels to heads that solve, for both readouts. *)
Section Claims.
Variables (m N : nat) (n tn td : Z) (self : bool) (value : nat).

Lemma lower_bound1 : lower_bound m N tn td self 1.
Proof. by move=> R causal n' K D _ _ solK featK; apply: features_gt0 solK featK. Qed.

Lemma lower_bound_free1 : lower_bound_free m N tn td self 1.
Proof. by move=> R causal n' K V D _ _ solK featK; apply: features_gt0 solK featK. Qed.

Hypotheses (n_gt2 : (2 <? n)%bZ) (tn_gt0 : (0 <? tn)%bZ) (td_gt0 : (0 <? td)%bZ).
Hypothesis n_eq : n = Z.of_nat N.

Let N_gt1 n' : N = n'.+1 -> (1 < n')%N.
Proof. by move: n_gt2; rewrite n_eq; clear; lia. Qed.

Lemma lower_bound_decaying : (tn <=? td)%bZ ->
    (forall (R : realFieldType) D (A : kernel R m),
       decaying (ztau R tn td) N (D + 0) A -> (value <= D)%N) ->
  lower_bound m N tn td self value.
Proof.
move=> tau_le1 bound R causal n' K D def_N K_ge0 solK featK.
apply: (bound R D (kbar K)); rewrite addn0 def_N.
apply: (inner_decaying (N_gt1 def_N) (ztau_gt0 R tn_gt0 td_gt0) _ K_ge0 solK featK).
by rewrite (ztau_leE _ _ 1) // Z.mul_1_l.
Qed.

Lemma lower_bound_free_decaying :
    (forall (R : realFieldType) D (A : kernel R m),
       decaying (ztau R (2 * tn) td) N (D + self) A -> (value <= D)%N) ->
  lower_bound_free m N tn td self value.
Proof.
move=> bound R causal n' K V D def_N K_ge0 solK featK.
apply: (bound R D (kself self K)); rewrite ztau2 def_N.
exact: (free_decaying (N_gt1 def_N) (ztau_gt0 R tn_gt0 td_gt0) K_ge0 solK featK).
Qed.

End Claims.
