(******************************************************************************)
(* Kernels on the whole cube: their features and their rank.                  *)
(*   nonneg_features_sum  : features indexed by a finite set                  *)
(*   nonneg_features_full : every non-negative kernel has 2^m features        *)
(*   monomial_features    : C4, the feature count of p(|q \ a|)               *)
(*   monomial_criterion   : C4, when it solves                                *)
(*   power_rank           : C3, x^t has rank 2^m for every x other than 1     *)
(*   gaussian_rank        : the Gaussian kernel has rank 2^m on the cube      *)
(*   gaussian_fails       : projection-free, it fails at every width          *)
(*   nonvacuous           : every length has a solving head                   *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import defs rates decay constructions.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma card_tokens m : #|{set 'I_m}| = (2 ^ m)%N.
Proof. by rewrite -cardsT -powersetT card_powerset cardsT card_ord. Qed.

Section FeatureSums.
Variables (R : realFieldType) (m : nat) (I : finType) (F : {set I}).
Variables (phi psi : I -> token m -> R) (K : kernel R m).
Hypothesis phi_ge0 : forall i q, 0 <= phi i q.
Hypothesis psi_ge0 : forall i a, 0 <= psi i a.
Hypothesis K_sum : forall q a, K q a = \sum_(i in F) phi i q * psi i a.

Lemma nonneg_features_sum : has_nonneg_features #|F| K.
Proof.
exists (fun q => \row_k phi (enum_val k) q), (fun a => \row_k psi (enum_val k) a).
split=> [q k|a k|q a]; rewrite ?mxE // K_sum big_enum_val.
by apply: eq_bigr => k _; rewrite !mxE.
Qed.

End FeatureSums.

Lemma nonneg_features_full (R : realFieldType) m (K : kernel R m) :
  (forall q a, 0 <= K q a) -> has_nonneg_features (2 ^ m) K.
Proof.
move=> K_ge0; rewrite -card_tokens -cardsT.
apply: (@nonneg_features_sum _ _ _ _ (fun b q => K q b) (fun b a => (b == a)%:R)) => // [b a|q a].
  exact: ler0n.
rewrite (bigD1 a) ?inE //= eqxx mulr1 big1 ?addr0 // => b /andP[_ /negbTE->].
by rewrite mulr0.
Qed.

(* C4: sparse monomials. *)
Section Monomials.
Variables (R : realFieldType) (m : nat) (w : nat -> R).
Hypothesis w_ge0 : forall d, 0 <= w d.

Definition monomial_poly u : R := \sum_(d < m.+1) w d * 'C(u, d)%:R.

Definition monomial_kernel : kernel R m :=
  fun q a => monomial_poly (#|q| - dot q a)%N.

Lemma monomial_poly_ge0 u : 0 <= monomial_poly u.
Proof. by apply: sumr_ge0 => d _; rewrite mulr_ge0 ?ler0n. Qed.

Lemma sum_subsets (A : token m) :
  \sum_(T : token m | T \subset A) w #|T| = monomial_poly #|A|.
Proof.
have lt_T (T : token m) : (#|T| < m.+1)%N by rewrite ltnS -[m in (_ <= m)%N]card_ord max_card.
rewrite (partition_big (fun T => Ordinal (lt_T T)) xpredT) //=.
apply: eq_bigr => d _; rewrite -cards_draws mulr_natr -sumr_const.
by apply: eq_big => [T|T /andP[_ /eqP<-]] //; rewrite inE -val_eqE.
Qed.

Lemma card_setD_dot (q a : token m) : #|q :\: a| = (#|q| - dot q a)%N.
Proof. by rewrite cardsD. Qed.

Theorem monomial_features :
  has_nonneg_features (\sum_(d < m.+1 | w d != 0%R) 'C(m, d))%N monomial_kernel.
Proof.
pose F := [set T : token m | w #|T| != 0].
have <- : #|F| = (\sum_(d < m.+1 | w d != 0%R) 'C(m, d))%N.
  have lt_T (T : token m) : (#|T| < m.+1)%N by rewrite ltnS -[m in (_ <= m)%N]card_ord max_card.
  rewrite -sum1_card (partition_big (fun T => Ordinal (lt_T T)) (fun d => w d != 0)) => [|T].
    apply: eq_bigr => d wd.
    have <- : #|[set T : token m | #|T| == d]| = 'C(m, d) by rewrite card_draws card_ord.
    rewrite -sum1_card; apply: eq_bigl => T; rewrite !inE -val_eqE /=.
    by apply/andP/idP => [[]//|/eqP e]; rewrite e.
  by rewrite inE.
apply: (@nonneg_features_sum R m _ F (fun T q : token m => w #|T| * (T \subset q)%:R)
         (fun T a : token m => [disjoint T & a]%:R)) => [T q|T a|q a].
- by rewrite mulr_ge0 ?ler0n.
- by rewrite ler0n.
rewrite /monomial_kernel -card_setD_dot -sum_subsets [LHS]big_mkcond [RHS]big_mkcond /=.
apply: eq_bigr => T _; rewrite subsetD inE -mulrA -natrM mulnb.
have [->|_] := eqVneq (w #|T|) 0; first by rewrite if_same.
by case: (_ && _); rewrite ?mulr1 ?mulr0.
Qed.

Theorem monomial_criterion n causal (tau : R) :
    (0 < n)%N -> 0 < tau -> tau <= 1 ->
  solves causal true tau (uniform monomial_kernel : pkernel R m n.+1) inner <->
  level_condition m n tau monomial_poly.
Proof.
move=> n_gt0 tau_gt0 tau_le1.
have crit := @level_criterion R m n causal tau (fun=> 1) monomial_poly n_gt0
  tau_gt0 tau_le1 (fun _ => ltr01) monomial_poly_ge0.
apply: iff_trans crit; apply: solves_ext => i j q a.
by rewrite /uniform /level_kernel mul1r.
Qed.

End Monomials.

(* C3: the rank of x^t. *)
Section PowerRank.
Variables (R : realFieldType) (m : nat).
Implicit Types (F : token m -> R) (U : token m).

Lemma subset_sums_eq0 F :
  (forall A : token m, \sum_(U : token m | U \subset A) F U = 0) -> forall U, F U = 0.
Proof.
move=> F0 U; have [k] := ubnP #|U|; elim: k U => // k IHk U U_lt.
have := F0 U; rewrite (bigD1 U) //= big1 ?addr0 // => V /andP[VU V_neq].
apply: IHk; apply: leq_trans (_ : #|U| <= k)%N => //; apply: proper_card.
by rewrite properEneq V_neq.
Qed.

Lemma supset_sums_eq0 F :
  (forall A : token m, \sum_(U : token m | A \subset U) F U = 0) -> forall U, F U = 0.
Proof.
move=> F0 U; rewrite -[U]setCK.
apply: (subset_sums_eq0 (F := fun V => F (~: V))) => A.
rewrite -[RHS](F0 (~: A)) (reindex_inj (@setC_inj _)) /=.
by apply: eq_big => V; rewrite ?setCK // -setCS setCK.
Qed.

Lemma power_expand (x : R) (A : token m) :
  x ^+ #|A| = \sum_(U : token m | U \subset A) (x - 1) ^+ #|U|.
Proof.
rewrite (sum_subsets (fun d => (x - 1) ^+ d)) /monomial_poly.
have A_le : (#|A| <= m)%N by rewrite -[m in (_ <= m)%N]card_ord max_card.
rewrite -{1}[x](subrK 1) addrC exprDn.
rewrite (big_ord_widen _ (fun i => (1 ^+ (#|A| - i) * (x - 1) ^+ i) *+ 'C(#|A|, i)) (A_le : #|A| < m.+1)%N).
rewrite big_mkcond /=; apply: eq_bigr => d _.
by rewrite expr1n mul1r mulr_natr; case: ltnP => // ?; rewrite bin_small.
Qed.

Theorem power_rank (x : R) : x != 1 ->
  \rank (kmx (fun q a : token m => x ^+ dot q a)) = (2 ^ m)%N.
Proof.
move=> x_neq1; rewrite -card_tokens; apply/eqP; rewrite -/(row_free _).
apply: inj_row_free => v vK; pose f (q : token m) : R := v 0 (enum_rank q).
suff f0 q : f q = 0 by apply/rowP => i; rewrite mxE -(f0 (enum_val i)) /f enum_valK.
have sum_fx a : \sum_q f q * x ^+ dot q a = 0.
  have /(congr1 (fun B : 'rV_ _ => B 0 (enum_rank a))) := vK; rewrite !mxE => vKa.
  rewrite -[RHS]vKa (reindex (@enum_val _ (mem {set 'I_m}))) /=; last first.
    exact/onW_bij/enum_val_bij.
  by apply: eq_bigr => i _; rewrite mxE enum_rankK /f enum_valK.
apply: supset_sums_eq0 => A.
suff : (x - 1) ^+ #|A| * (\sum_(U : token m | A \subset U) f U) = 0.
  by move/eqP; rewrite mulf_eq0 expf_eq0 subr_eq0 (negbTE x_neq1) andbF => /eqP.
apply: (subset_sums_eq0 (F := fun V => (x - 1) ^+ #|V| * (\sum_(U : token m | V \subset U) f U))) => a.
rewrite -[RHS](sum_fx a) /=.
under eq_bigr => V _ do rewrite mulr_sumr.
rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => b _.
rewrite /dot power_expand mulr_sumr; apply: eq_big => V.
  by rewrite subsetI andbC.
by rewrite mulrC.
Qed.

End PowerRank.

(* The Gaussian kernel on the cube: g^hamming, 0 < g < 1. *)
Section Gaussian.
Variables (R : realFieldType) (m : nat) (gamma : R).
Hypotheses (gamma_gt0 : 0 < gamma) (gamma_lt1 : gamma < 1).

Definition hamming (q a : token m) : nat := #|(q :\: a) :|: (a :\: q)|.

Definition gaussian_kernel : kernel R m := fun q a => gamma ^+ hamming q a.

Lemma hammingE q a : (hamming q a + 2 * dot q a = #|q| + #|a|)%N.
Proof.
rewrite /hamming cardsU (_ : _ :&: _ = set0) ?cards0 ?subn0.
  have := cardsID a q; have := cardsID q a; rewrite (setIC a q) /dot; lia.
by apply/setP => i; rewrite !inE; case: (i \in q); rewrite ?andbF.
Qed.

Theorem gaussian_rank : \rank (kmx gaussian_kernel) = (2 ^ m)%N.
Proof.
have g_neq0 k : gamma ^+ k != 0 by rewrite expf_neq0 ?gt_eqF.
pose s : 'rV[R]_#|{set 'I_m}| := \row_i gamma ^+ #|(enum_val i : {set 'I_m})|.
pose x := (gamma ^+ 2)^-1.
have -> : kmx gaussian_kernel =
    diag_mx s *m kmx (fun q a : token m => x ^+ dot q a) *m diag_mx s.
  apply/matrixP => i j; rewrite mul_mx_diag mul_diag_mx !mxE /gaussian_kernel.
  move: (enum_val i) (enum_val j) => q a; apply: (mulIf (g_neq0 (2 * dot q a)%N)).
  rewrite -exprD hammingE exprD /x exprVn -exprM -!mulrA; congr (_ * _).
  by rewrite mulrCA mulVf ?mulr1.
have s_unit : diag_mx s \in unitmx.
  by rewrite unitmxE det_diag unitfE; apply/prodf_neq0 => i _; rewrite mxE.
rewrite mxrankMfree ?row_free_unit // (eqmxMfull _ _) ?power_rank ?row_full_unit //.
by rewrite invr_eq1 lt_eqF // exprn_ilt1 // ltW.
Qed.

(* Projection-free, self included: it fails for m >= 1 and length >= 2. *)
Theorem gaussian_fails n causal : (0 < m)%N -> (0 < n)%N ->
  ~ solves causal true (2%:R^-1) (uniform gaussian_kernel : pkernel R m n.+1) inner.
Proof.
move=> m_gt0 n_gt0 solK; have ord0_neq : (ord0 : 'I_n.+1) != ord_max.
  by rewrite -val_eqE /= eq_sym -lt0n.
pose q : token m := [set Ordinal m_gt0].
have card_q : #|q| = 1%N by rewrite cards1.
have K_ge0 (j : 'I_n.+1) b : 0 <= gaussian_kernel q b by rewrite exprn_ge0 // ltW.
pose b (k : nat) : token m := q.
have half_gt0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have /answers_linear := solK (pattern ord0 q set0 q).
move=> /(_ half_gt0); rewrite pattern_last => /(_ (fun j => K_ge0 j _)).
rewrite target_pattern ?dot0 //.
rewrite (sum_pattern _ _ _ _ _ (fun j a => gaussian_kernel q a * ((dot q a)%:R - 0%:R - 2%:R^-1))) //.
rewrite dot0 dotxx card_q !subr0 sub0r.
have hqq : gaussian_kernel q q = 1 by rewrite /gaussian_kernel /hamming setDv setU0 cards0.
have hq0 : gaussian_kernel q set0 = gamma.
  by rewrite /gaussian_kernel /hamming setD0 set0D setU0 card_q expr1.
rewrite hqq hq0 !mul1r; apply/negP; rewrite -leNgt.
have half_le : 1 - 2%:R^-1 = 2%:R^-1 :> R.
  by rewrite -{1}[1](@divff _ 2%:R) ?pnatr_eq0 // mulrDl !mul1r addrK.
rewrite half_le addrAC addr_ge0 //.
  by rewrite mulrN addrC subr_ge0 ler_pimull ?ltW.
by apply: sumr_ge0 => j _; rewrite ltW.
Qed.

End Gaussian.

(* Some head solves every length: the problem is not vacuous. *)
Theorem nonvacuous (R : realFieldType) m n causal : (1 < m)%N -> (2 < n)%N ->
  let x : R := n.+1%:R^-1 in
  solves causal true (2%:R^-1) (uniform (@softmax_kernel R m x) : pkernel R m n.+1) inner
  /\ has_nonneg_features (2 ^ m) (@softmax_kernel R m x).
Proof.
move=> m_gt1 n_gt2 x; have x_gt0 : 0 < x by rewrite invr_gt0 ltr0n.
split; last by apply: nonneg_features_full => q a; rewrite exprn_ge0 // ltW.
have := @softmax_long R m causal x x_gt0 m_gt1 n n_gt2; case=> _; apply.
by rewrite /x ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat.
Qed.
