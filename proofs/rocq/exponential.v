(******************************************************************************)
(* Exponential forms of the layer bound (P2, P5).                             *)
(*   hmin_le_exp       : a part p with f p <= y^p gives hmin s <= c y^s       *)
(*   exponential_bound : h s <= c y^s for all s gives                         *)
(*                       2^m <= (m + 1) D c^2 (1 + y)^m                       *)
(*   exponential_three : length 3, tolerance 1/2: base 2/(1+y), 3 y^2 >= 1    *)
(*   exponential_three_1267 : 1.267^m <= 3 (m + 1) D                          *)
(*   exponential_four  : length 4, tolerance 1/2, 6 y^2 >= 1                  *)
(*   exponential_long  : every length >= 3, y = tau / ((n - 2) (1 - tau))     *)
(*   exponential_half  : tolerance 1/2: (2 rho/(rho+1))^m <= (m+1) D with     *)
(*                       rho = n - 2                                          *)
(*   layer_limit, exponential_limit : L4                                      *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import linalg defs rates decay family layer.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Rate.
Variables (R : realFieldType) (tau : R) (f : nat -> R) (p : nat) (y c : R).
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis f_gt0 : forall s, tau < s%:R -> 0 < f s.
Hypotheses (p_gt0 : (0 < p)%N) (y_gt0 : 0 < y) (f_p : f p <= y ^+ p).
Hypothesis small : forall r, (r < p)%N -> hmin tau f r <= c * y ^+ r.

Let tau_lt s : (0 < s)%N -> tau < s%:R.
Proof. by move=> s_gt0; apply: lt_le_trans tau_lt1 _; rewrite ler1n. Qed.

Lemma hmin_le_exp s : hmin tau f s <= c * y ^+ s.
Proof.
elim/ltn_ind: s => s IHs; have [/small //|p_le] := ltnP s p.
have c_ge1 : 1 <= c by have := small p_gt0; rewrite expr0 mulr1.
have [s_eq|s_neq] := eqVneq s p.
  rewrite s_eq; apply: le_trans (hmin_le_step f tau_gt0 p_gt0) _; apply: le_trans f_p _.
  by rewrite ler_pemull // exprn_ge0 ?ltW.
have sp_gt0 : (0 < s - p)%N by lia.
apply: le_trans (hmin_le_mul _ tau_gt0 (tau_lt p_gt0) (tau_lt sp_gt0)) _.
rewrite -[in X in _ <= X](subnKC p_le) exprD mulrCA.
apply: ler_pmul => //; [exact/ltW/f_gt0/tau_lt | exact/ltW/hmin_gt0/tau_lt |].
by apply: IHs; lia.
Qed.

End Rate.

Section Exponential.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1) (D : nat).
Hypothesis m_gt0 : (0 < m)%N.
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K inner.
Hypothesis featK : has_pfeatures D K.

Let hn := h n.+1 tau.
Let layer k := @layer_bound _ _ _ _ _ _ _ _ n_gt1 tau_gt0 tau_lt1 K_ge0 solK featK k.

Let hn_ge0 s : 0 <= hn s.
Proof. by case: s => [|s]; [rewrite ler01 | rewrite ltW // /hn h_gt0]. Qed.

Lemma features_gt0 : (0 < D)%N.
Proof.
have := layer (k := m); rewrite m_gt0 leqnn binn => /(_ isT).
by rewrite lt0n; apply: contraTneq => ->; rewrite mul0r -ltNge ltr01.
Qed.

Section WithRate.
Variables (y c : R).
Hypotheses (y_ge0 : 0 <= y) (hn_le : forall s, hn s <= c * y ^+ s).

Let c_ge1 : 1 <= c.
Proof. by have := hn_le 0; rewrite expr0 mulr1. Qed.

Let binomial_sum k N : (k <= N)%N -> \sum_(s < N.+1) 'C(k, s)%:R * y ^+ s = (1 + y) ^+ k.
Proof.
move=> k_le; rewrite exprDn.
rewrite (big_ord_widen _ (fun s => (1 ^+ (k - s) * y ^+ s) *+ 'C(k, s)) (k_le : k < N.+1)%N).
rewrite [RHS]big_mkcond /=; apply: eq_bigr => s _.
by rewrite expr1n mul1r mulr_natl; case: ltnP => // ?; rewrite bin_small.
Qed.

Lemma layer_den_le k : (k <= m)%N -> layer_den hn m k xpredT <= c ^+ 2 * (1 + y) ^+ m.
Proof.
move=> k_le; apply: (@le_trans _ _ (\sum_(s < k.+1)
   c ^+ 2 * (('C(k, s)%:R * y ^+ s) * ('C(m - k, s)%:R * y ^+ s)))).
  apply: ler_sum => s _; rewrite natrM.
  have -> : c ^+ 2 * ('C(k, s)%:R * y ^+ s * ('C(m - k, s)%:R * y ^+ s)) =
            'C(k, s)%:R * 'C(m - k, s)%:R * (c * y ^+ s) ^+ 2 by ring.
  rewrite ler_wpmul2l ?mulr_ge0 ?ler0n // ler_expn2r ?nnegrE ?hn_le //.
  exact: le_trans (hn_ge0 s) (hn_le s).
rewrite -mulr_sumr ler_wpmul2l ?sqr_ge0 //.
rewrite -[in X in _ <= X](subnKC k_le) exprD.
rewrite -(binomial_sum (leqnn k)) mulr_suml; apply: ler_sum => s _.
rewrite ler_wpmul2l ?mulr_ge0 ?ler0n ?exprn_ge0 //.
have [s_le|s_gt] := leqP s (m - k); last first.
  by rewrite bin_small // mul0r exprn_ge0 // addr_ge0 ?ler01.
rewrite -(binomial_sum (leqnn (m - k))) (bigD1 (Ordinal (s_le : (s < (m - k).+1)%N))) //=.
rewrite ler_addl; apply: sumr_ge0 => i _.
by rewrite mulr_ge0 ?ler0n ?exprn_ge0.
Qed.

Theorem exponential_bound : 2%:R ^+ m <= (m.+1 * D)%:R * (c ^+ 2 * (1 + y) ^+ m).
Proof.
have c2_ge1 : 1 <= c ^+ 2 by rewrite exprn_ege1.
have y1_ge1 : 1 <= (1 + y) ^+ m by rewrite exprn_ege1 // ler_addl.
have -> : 2%:R ^+ m = \sum_(k < m.+1) 'C(m, k)%:R :> R.
  rewrite -natrX -[2%N]/(1 + 1)%N expnDn natr_sum.
  by apply: eq_bigr => k _; rewrite !exp1n !muln1.
set B := _ * (1 + y) ^+ m.
have -> : (m.+1 * D)%:R * B = \sum_(k < m.+1) D%:R * B.
  by rewrite sumr_const card_ord natrM -mulrA mulr_natl.
apply: ler_sum => k _; have k_le : (k <= m)%N by rewrite -ltnS.
have [k0|k_gt0] := posnP k.
  by rewrite k0 bin0 mulr_ege1 ?ler1n ?features_gt0 // mulr_ege1.
apply: le_trans (layer _) _; first by rewrite k_gt0.
by rewrite ler_wpmul2l ?ler0n ?layer_den_le.
Qed.

End WithRate.

(* y = tau / ((n - 2) (1 - tau)), one step at a time: every length >= 3. *)
Theorem exponential_long :
  2%:R ^+ m <= (m.+1 * D)%:R * (1 + g n.+1 tau 1) ^+ m.
Proof.
have y_gt0 : 0 < g n.+1 tau 1 by apply: g_gt0.
have -> : (1 + g n.+1 tau 1) ^+ m = 1 ^+ 2 * (1 + g n.+1 tau 1) ^+ m.
  by rewrite expr1n mul1r.
apply: exponential_bound (ltW y_gt0) _ => s.
apply: (@hmin_le_exp _ _ _ 1) => // [r|[|]//]; first exact: g_gt0.
by rewrite expr0 mulr1.
Qed.

End Exponential.

Section HalfTolerance.
Variables (R : realFieldType) (m : nat) (causal self : bool).
Hypothesis m_gt0 : (0 < m)%N.

Let half : R := 2%:R^-1.
Let half_gt0 : 0 < half. Proof. by rewrite invr_gt0 ltr0n. Qed.
Let half_lt1 : half < 1. Proof. by rewrite invf_lt1 ?ltr0n ?ltr1n. Qed.

Let gE n s : (0 < s)%N -> g n half s = ((n - 2) * (2 * s - 1))%N%:R^-1.
Proof.
move=> s_gt0; rewrite /g natrM [(2 * s - 1)%N%:R]natrB ?muln_gt0 // [(2 * s)%N%:R]natrM.
have -> : s%:R - half = half * (2%:R * s%:R - 1).
  by rewrite mulrBr mulrA mulVf ?pnatr_eq0 // mul1r mulr1.
by rewrite mulrCA invfM mulrA divff ?mul1r ?gt_eqF.
Qed.

Section Length.
Variables (n D : nat) (K : pkernel R m n.+1).
Hypothesis n_gt1 : (1 < n)%N.
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self half K inner.
Hypothesis featK : has_pfeatures D K.

Let bound := @exponential_bound _ _ _ _ _ _ _ _
  m_gt0 n_gt1 half_gt0 half_lt1 K_ge0 solK featK.

(* L4 and P5: base 2 rho / (rho + 1) with rho = n - 2, length n >= 3. *)
Theorem exponential_half :
  ((2 * (n.+1 - 2))%N%:R / (n.+1 - 1)%N%:R) ^+ m <= (m.+1 * D)%:R :> R.
Proof.
have n1_gt0 : 0 < (n.+1 - 2)%N%:R :> R by rewrite ltr0n; lia.
have n_gt0 : 0 < (n.+1 - 1)%N%:R :> R by rewrite ltr0n; lia.
have := exponential_long m_gt0 n_gt1 half_gt0 half_lt1 K_ge0 solK featK.
rewrite gE // muln1 subn1 muln1.
have -> : 1 + (n.+1 - 2)%N%:R^-1 = (n.+1 - 1)%N%:R / (n.+1 - 2)%N%:R :> R.
  have -> : (n.+1 - 1 = (n.+1 - 2).+1)%N by lia.
  by rewrite -[(n.+1 - 2).+1]addn1 natrD mulrDl divff ?mul1r ?gt_eqF.
rewrite -ler_pdivr_mulr ?exprn_gt0 ?divr_gt0 //; congr (_ <= _).
by rewrite natrM -expr_div_n invf_div mulrA.
Qed.

(* Two steps at a time: y^2 at least the rate g(2) of a step of size two. *)
Theorem exponential_two (y c : R) : 0 < y ->
    g n.+1 half 2 <= y ^+ 2 -> 1 <= c -> g n.+1 half 1 <= c * y ->
  2%:R ^+ m <= (m.+1 * D)%:R * (c ^+ 2 * (1 + y) ^+ m).
Proof.
move=> y_gt0 g2 c_ge1 g1; apply: bound (ltW y_gt0) _ => s.
apply: (@hmin_le_exp _ _ _ 2) => // [r|[|[|]]//].
- exact: g_gt0.
- by rewrite expr0 mulr1.
- by rewrite expr1 => _; apply: le_trans (hmin_le_step _ half_gt0 _) g1.
Qed.

End Length.

(* P2 at length three: base 2/(1+y) for every y with 3 y^2 >= 1, that is      *)
(* every base below 2 sqrt 3 / (sqrt 3 + 1) = 1.26794...                      *)
Theorem exponential_three (D : nat) (K : pkernel R m 3) (y : R) :
    nonneg K -> solves causal self half K inner -> has_pfeatures D K ->
    0 < y -> y <= 1 -> 1 <= 3%:R * y ^+ 2 ->
  2%:R ^+ m <= 3%:R * (m.+1 * D)%:R * (1 + y) ^+ m.
Proof.
move=> K_ge0 solK featK y_gt0 y_le1 y2.
have g1 : g 3 half 1 <= y^-1 * y by rewrite gE // mulVf ?gt_eqF // invr1.
have g2 : g 3 half 2 <= y ^+ 2.
  by rewrite gE // -[_^-1]mul1r ler_pdivr_mulr ?ltr0n // mulrC.
have c_ge1 : 1 <= y^-1 by rewrite invf_ge1.
have := @exponential_two 2 D K isT K_ge0 solK featK _ _ y_gt0 g2 c_ge1 g1.
move=> /le_trans; apply; rewrite mulrA; apply: ler_wpmul2r.
  by rewrite exprn_ge0 // addr_ge0 ?ler01 // ltW.
rewrite [X in _ <= X]mulrC ler_wpmul2l ?ler0n // exprVn.
by rewrite -[_^-1]mul1r ler_pdivr_mulr ?exprn_gt0.
Qed.

(* P2 with a number: 26/45 < 1/1.7306, base 90/71 > 1.267. *)
Theorem exponential_three_1267 (D : nat) (K : pkernel R m 3) :
    nonneg K -> solves causal self half K inner -> has_pfeatures D K ->
  (1267%:R / 1000%:R) ^+ m <= 3%:R * (m.+1 * D)%:R :> R.
Proof.
move=> K_ge0 solK featK.
pose y : R := 26%:R / 45%:R.
have y_gt0 : 0 < y by rewrite divr_gt0 ?ltr0n.
have y_le1 : y <= 1 by rewrite ler_pdivr_mulr ?ltr0n // mul1r ler_nat.
have y2 : 1 <= 3%:R * y ^+ 2.
  rewrite /y expr_div_n mulrA ler_pdivl_mulr ?exprn_gt0 ?ltr0n // mul1r.
  by rewrite -!natrX -natrM ler_nat.
have := exponential_three K_ge0 solK featK y_gt0 y_le1 y2.
have y1_gt0 : 0 < 1 + y by rewrite addr_gt0 ?ltr01.
rewrite -ler_pdivr_mulr ?exprn_gt0 // => bound3; apply: le_trans bound3.
rewrite -expr_div_n ler_expn2r ?nnegrE ?divr_ge0 ?ler0n ?(ltW y1_gt0) //.
have -> : 1 + y = 71%:R / 45%:R.
  by rewrite /y -[71%N]/(45 + 26)%N natrD mulrDl divff ?pnatr_eq0.
rewrite invf_div mulrA ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ler_nat.
Qed.

(* Length four: every base below 2 sqrt 6 / (sqrt 6 + 1) = 1.42020... *)
Theorem exponential_four (D : nat) (K : pkernel R m 4) (y : R) :
    nonneg K -> solves causal self half K inner -> has_pfeatures D K ->
    0 < y -> y <= 1 / 2%:R -> 1 <= 6%:R * y ^+ 2 ->
  2%:R ^+ m <= 3%:R / 2%:R * (m.+1 * D)%:R * (1 + y) ^+ m.
Proof.
move=> K_ge0 solK featK y_gt0 y_le y2; pose c := (2%:R * y)^-1.
have y2_gt0 : 0 < 2%:R * y by rewrite mulr_gt0 ?ltr0n.
have g1 : g 4 half 1 <= c * y.
  by rewrite gE // /c invfM -mulrA mulVf ?gt_eqF // mulr1.
have g2 : g 4 half 2 <= y ^+ 2.
  by rewrite gE // -[_^-1]mul1r ler_pdivr_mulr ?ltr0n // mulrC.
have c_ge1 : 1 <= c.
  by rewrite invf_ge1 // mulrC -ler_pdivl_mulr ?ltr0n.
have := @exponential_two 3 D K isT K_ge0 solK featK _ _ y_gt0 g2 c_ge1 g1.
move=> /le_trans; apply; rewrite mulrA; apply: ler_wpmul2r.
  by rewrite exprn_ge0 // addr_ge0 ?ler01 // ltW.
rewrite [X in _ <= X]mulrC ler_wpmul2l ?ler0n // /c exprVn.
rewrite -[_^-1]mul1r ler_pdivr_mulr ?exprn_gt0 // exprMn.
have -> : 3%:R / 2%:R * (2%:R ^+ 2 * y ^+ 2) = 6%:R * y ^+ 2 :> R.
  rewrite mulrA; congr (_ * _); rewrite mulrAC; apply: (canLR (mulfK _)).
    by rewrite pnatr_eq0.
  by rewrite -natrX -!natrM.
by [].
Qed.

End HalfTolerance.

(* L4: for fixed m the layer bound tends to C(m,k). *)
Section Limit.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1) (D k : nat).
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis k_in : (0 < k <= m)%N.

Let hn := h n.+1 tau.
Let y := g n.+1 tau 1.
Let y_gt0 : 0 < y. Proof. exact: g_gt0. Qed.

Lemma h_le_exp s : hn s <= y ^+ s.
Proof.
rewrite -[X in _ <= X]mul1r; apply: (@hmin_le_exp _ _ _ 1) => // [r|[|]//].
  exact: g_gt0.
by rewrite expr0 mulr1.
Qed.

(* An explicit rate: the denominator is at most 1 + y^2 C(m,k). *)
Lemma layer_den_limit : y <= 1 ->
  layer_den hn m k xpredT <= 1 + y ^+ 2 * 'C(m, k)%:R.
Proof.
have [k_gt0 k_le] := andP k_in => y_le1.
rewrite /layer_den big_ord_recl /= !bin0 mul1r [hn 0]/(1 : R) expr1n ler_add2l.
have -> : 'C(m, k) = (\sum_(s < k.+1) 'C(k, s) * 'C(m - k, s))%N.
  rewrite -[in LHS](subnKC k_le) -Vandermonde (reindex_inj rev_ord_inj) /=.
  by apply: eq_bigr => s _; rewrite subSS subKn -1?ltnS // bin_sub -1?ltnS.
rewrite natr_sum mulr_sumr [X in _ <= X]big_ord_recl ler_paddl //.
  by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
apply: ler_sum => s _; rewrite mulrC ler_wpmul2r ?ler0n //.
apply: ler_expn2r; rewrite ?nnegrE ?(ltW y_gt0) //.
  exact/ltW/(h_gt0 n_gt1).
apply: le_trans (h_le_exp _) _; rewrite exprS ler_pimulr ?(ltW y_gt0) //.
by rewrite exprn_ile1 // ltW.
Qed.

Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K inner.
Hypothesis featK : has_pfeatures D K.

Theorem layer_limit : 'C(m, k)%:R <= D%:R * (1 + y ^+ 2 * 'C(m, k)%:R).
Proof.
have [y_le1|y_gt1] := leP y 1.
  apply: le_trans (layer_bound n_gt1 tau_gt0 tau_lt1 K_ge0 solK featK k_in) _.
  by rewrite ler_wpmul2l ?ler0n ?layer_den_limit.
have D_gt0 : (0 < D)%N.
  apply: (features_gt0 _ n_gt1 tau_gt0 tau_lt1 K_ge0 solK featK).
  by case/andP: k_in; lia.
rewrite -[X in X <= _]mul1r ler_pmul ?ler0n ?ler1n //.
rewrite -[X in X <= _]add0r ler_add ?ler01 // ler_pemull ?ler0n //.
by rewrite exprn_ege1 // ltW.
Qed.

(* Nothing is lost once the context is long enough: D >= C(m,k). *)
Theorem layer_limit_exact :
  tau * 'C(m, k)%:R <= (n.+1 - 2)%N%:R * (1 - tau) -> ('C(m, k) <= D)%N.
Proof.
set C := 'C(m, k) => long; have C_gt0 : (0 < C)%N by rewrite bin_gt0; case/andP: k_in.
have yC : y * C%:R <= 1.
  rewrite /y /g mulrAC ler_pdivr_mulr ?mul1r //.
  by rewrite mulr_gt0 ?subr_gt0 // ltr0n; lia.
rewrite leqNgt; apply/negP => D_lt.
have := layer_limit; rewrite -/C leNgt => /negP; apply.
apply: (@le_lt_trans _ _ ((C.-1)%:R * (1 + y ^+ 2 * C%:R))).
  apply: ler_wpmul2r; last by rewrite ler_nat -ltnS prednK.
  by rewrite addr_ge0 ?ler01 // mulr_ge0 ?sqr_ge0 ?ler0n.
rewrite -[X in _ < X%:R](prednK C_gt0) -[C.-1.+1]addn1 natrD mulrDr mulr1 ltr_add2l.
rewrite mulrCA; apply: (@lt_le_trans _ _ ((y * C%:R) ^+ 2)).
  rewrite [X in _ < X]exprMn ltr_pmul2l ?exprn_gt0 // expr2 ltr_pmul2r ?ltr0n // ltr_nat.
  by rewrite ltn_predL.
by rewrite exprn_ile1 // mulr_ge0 ?ler0n ?ltW.
Qed.

End Limit.
