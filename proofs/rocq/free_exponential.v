(******************************************************************************)
(* L3, the exponential form: free readouts.                                   *)
(*   free_exponential_bound : h(s) <= c y^s for s != 1 (h at 2 tau) gives     *)
(*                            2^m <= (m+1) m (D+1) c^2 (1+y)^m                *)
(*   free_exponential_three : length 3, tolerance 1/2: h decays as 4^(-s/5),  *)
(*                            and 1.137^m <= 4 m (m+1) (D+1)                  *)
(******************************************************************************)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import linalg defs rates decay family layer exponential nonneg fractions.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Free.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K V : pkernel R m n.+1) (D : nat).
Hypothesis m_gt0 : (0 < m)%N.
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K V.
Hypothesis featK : has_pfeatures D K.

Let hn := h n.+1 (2%:R * tau).

Variables c y : R.
Hypothesis y_ge0 : 0 <= y.
Hypothesis hn_le : forall s : nat, s != 1%N -> hn s <= c * y ^+ s.

Let hn_ge0 (s : nat) : s != 1%N -> 0 <= hn s.
Proof.
case: s => [|[|s]] // _; first exact: ler01.
have tau2_gt0 : 0 < 2%:R * tau by rewrite mulr_gt0 ?ltr0n.
apply/ltW/hmin_gt0 => //; first by move=> r; apply: g_gt0.
apply: (@lt_le_trans _ _ 2%:R); last by rewrite ler_nat.
by rewrite -{2}[2%:R]mulr1 ltr_pmul2l ?ltr0n.
Qed.

Let c_ge1 : 1 <= c.
Proof. by move: (@hn_le 0%N isT); rewrite /hn /h hmin0 expr0 mulr1. Qed.

Lemma free_layer_den_le k : (k <= m)%N ->
  layer_den hn m k (fun s => s != 1%N) <= c ^+ 2 * (1 + y) ^+ m.
Proof.
move=> k_le; have c2_ge0 : 0 <= c ^+ 2 by apply: sqr_ge0.
have sq_le s : c ^+ 2 * (y ^+ 2) ^+ s <= c ^+ 2 * (y ^+ 2) ^+ s by [].
apply: le_trans (layer_mass_le k_le y_ge0 c2_ge0 sq_le).
rewrite /layer_den /layer_mass big_mkcond; apply: ler_sum => s _.
have term_ge0 : 0 <= c ^+ 2 * (y ^+ 2) ^+ s by apply: mulr_ge0 => //; apply/exprn_ge0/sqr_ge0.
case: ifP => s_neq; last by rewrite mulr_ge0 ?ler0n.
rewrite ler_wpmul2l ?ler0n // exprAC -exprMn.
by apply: ler_expn2r; rewrite ?nnegrE ?hn_ge0 ?hn_le // (le_trans (hn_ge0 s_neq)) ?hn_le.
Qed.

Theorem free_exponential_bound :
  2%:R ^+ m <= (m.+1 * (m * D.+1))%:R * (c ^+ 2 * (1 + y) ^+ m).
Proof.
set B := c ^+ 2 * _; have B_ge1 : 1 <= B by apply: mulr_ege1; rewrite exprn_ege1 // ler_addl.
have -> : 2%:R ^+ m = \sum_(k < m.+1) 'C(m, k)%:R :> R.
  rewrite -natrX -[2%N]/(1 + 1)%N expnDn natr_sum.
  by apply: eq_bigr => k _; rewrite !exp1n !muln1.
have -> : (m.+1 * (m * D.+1))%:R * B = \sum_(k < m.+1) (m * D.+1)%:R * B.
  by rewrite sumr_const card_ord natrM -mulrA mulr_natl.
apply: ler_sum => k _; have k_le : (k <= m)%N by rewrite -ltnS.
have [k_le1|k_gt1] := leqP k 1.
  apply: (@le_trans _ _ (m * D.+1)%:R); last by rewrite ler_pemulr ?ler0n.
  rewrite ler_nat; case: (nat_of_ord k) k_le1 => [|[|]] // _; rewrite ?bin0 ?bin1.
    by rewrite muln_gt0 m_gt0.
  by rewrite leq_pmulr.
have k_in : (1 < k <= m)%N by rewrite k_gt1.
apply: le_trans (free_layer_bound n_gt1 tau_gt0 tau_lt1 K_ge0 solK featK k_in) _.
apply: ler_pmul; rewrite ?ler0n ?free_layer_den_le //.
  by apply: sumr_ge0 => s _; rewrite mulr_ge0 ?ler0n ?sqr_ge0.
by rewrite ler_nat leq_pmul2l //; case: self; rewrite ?addn1 ?addn0.
Qed.

End Free.

(* Length three, tolerance 1/2, y = 379/500: the rate of h at 1 is 4^(-1/5).  *)
Section LengthThree.
Variables (R : realFieldType) (m D : nat) (causal self : bool) (K V : pkernel R m 3).
Hypothesis m_gt0 : (0 < m)%N.
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self 2%:R^-1 K V.
Hypothesis featK : has_pfeatures D K.

Let y := frac R 379 500.
Let c := frac R 250000 143641.

Let gE j : (1 < j)%N -> g 3 1 j = (j - 1)%N%:R^-1 :> R.
Proof. by move=> j_gt1; rewrite /g -[(3 - 2)%N]/1%N !mul1r natrB // ltnW. Qed.

Let step_le s (a b : N) : (1 < s)%N -> (s - 1)%N%:R^-1 = frac R a b ->
    frac R a b <= c * y ^+ s -> h 3 1 s <= c * y ^+ s.
Proof.
move=> s_gt1 e le_s; apply: le_trans (hmin_le_step _ ltr01 (ltnW s_gt1)) _.
by rewrite gE // e.
Qed.

Lemma h_one_three (s : nat) : s != 1%N -> h 3 1 s <= c * y ^+ s.
Proof.
elim/ltn_ind: s => s IHs s_neq; have [s_ge|s_lt] := leqP 7 s; last first.
  case: s s_lt s_neq {IHs} => [|[|[|[|[|[|[|//]]]]]]] // _ _.
  - by rewrite /h hmin0 expr0 mulr1 (frac1 R); apply: frac_le.
  - apply: (@step_le 2 1 1) => //; first by rewrite invr1 -frac1.
    by rewrite fracX fracM; apply: frac_le.
  - apply: (@step_le 3 1 2) => //; first by rewrite /frac div1r.
    by rewrite fracX fracM; apply: frac_le.
  - apply: (@step_le 4 1 3) => //; first by rewrite /frac div1r.
    by rewrite fracX fracM; apply: frac_le.
  - apply: (@step_le 5 1 4) => //; first by rewrite /frac div1r.
    by rewrite fracX fracM; apply: frac_le.
  apply: (@step_le 6 1 5) => //; first by rewrite /frac div1r.
  by rewrite fracX fracM; apply: frac_le.
have s5_gt1 : (1 < s - 5)%N by move: s_ge; clear; lia.
have s5_lt : (s - 5 < s)%N by move: s_ge; clear; lia.
have s_ge5 : (5 <= s)%N by apply: leq_trans s_ge.
apply: le_trans (hmin_le_mul _ ltr01 (_ : 1 < 5%:R) (_ : 1 < (s - 5)%N%:R)) _; rewrite ?ltr1n //.
have h_gt0 : 0 < h 3 1 (s - 5) :> R.
  by apply: hmin_gt0; rewrite ?ltr01 ?ltr1n // => r; apply: g_gt0; rewrite ?ltr01.
have g5 : g 3 1 5 <= y ^+ 5.
  rewrite gE // (_ : _^-1 = frac R 1 4); last by rewrite /frac div1r.
  by rewrite fracX; apply: frac_le.
rewrite -[in X in _ <= X](subnKC s_ge5) exprD mulrCA.
apply: ler_pmul => //; first by rewrite gE // invr_ge0 ler0n.
- exact: ltW.
by apply: IHs => //; rewrite neq_ltn s5_gt1 orbT.
Qed.

Theorem free_exponential_three :
  (1137%:R / 1000%:R) ^+ m <= (4 * m * m.+1 * D.+1)%:R :> R.
Proof.
rewrite -[_ / _]/(frac R 1137 1000).
have half_gt0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have half_lt1 : 2%:R^-1 < 1 :> R by rewrite invf_lt1 ?ltr0n ?ltr1n.
have T1 : 2%:R * 2%:R^-1 = 1 :> R by rewrite divff ?pnatr_eq0.
have := @free_exponential_bound R m 2 causal self 2%:R^-1 K V D m_gt0 isT half_gt0 half_lt1
  K_ge0 solK featK c y (frac_ge0 _ _ _).
rewrite T1 => /(_ h_one_three) bound.
have y1_gt0 : 0 < 1 + y by rewrite addr_gt0 ?ltr01 ?frac_gt0.
have base : frac R 1137 1000 * (1 + y) = frac R (1137 * (500 + 379)) (1000 * 500).
  by rewrite (@frac1D R 379 500 isT); apply: fracM.
rewrite -(ler_pmul2r (exprn_gt0 m y1_gt0)) -exprMn base.
apply: (@le_trans _ _ (2%:R ^+ m)).
  by apply: ler_expn2r; rewrite ?nnegrE ?ler0n ?frac_ge0 // (frac_nat R 2); apply: frac_le.
apply: le_trans bound _; rewrite mulrA ler_wpmul2r ?(exprn_ge0 _ (ltW y1_gt0)) //.
have c2_le : c ^+ 2 <= 4%:R by rewrite (frac_nat R 4) fracX; apply: frac_le.
have -> : (4 * m * m.+1 * D.+1 = m.+1 * (m * D.+1) * 4)%N.
  by rewrite [RHS]mulnC [(m.+1 * _)%N]mulnCA !mulnA.
by rewrite [X in _ <= X]natrM ler_wpmul2l ?ler0n.
Qed.

End LengthThree.
