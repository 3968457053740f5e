(******************************************************************************)
(* L9: lower bounds for non-negative features.                                *)
(*   has_nonneg_pfeatures D pK == position-dependent maps with D non-negative *)
(*                     features                                               *)
(*       dyadic j   == 1/2^j                                                  *)
(*      level w f   == the sets S with phi_f(S) psi_f(S) >= w                 *)
(* layer_mass f m k == sum_s C(k,s) C(m-k,s) f(s)                             *)
(*   levels_bound       : a dyadic level at which the features carry their    *)
(*                        share of the diagonal                               *)
(*   nonneg_layer_bound : the two bounds at that level, by Cauchy-Schwarz and *)
(*                        by Kleitman's diameter theorem                      *)
(*   nonneg_layer_exp   : the same for one layer and a rate h(s) <= c y^s     *)
(*   nonneg_exponential : all layers together, y = u^2, z <= y, 2r <= m + 1:  *)
(*     2^m <= (m + 1) D (4 (m + 1)^2 c^2 y^r (1 + u)^m                        *)
(*                       + 2 (m + 1) c (y/z)^r (1 + z)^m)                     *)
(*   nonneg_exponential_base : its base b, with r = p m / q                   *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import linalg defs rates decay family layer exponential kleitman.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma double_le_sum (R : realFieldType) (w x y : R) :
  0 <= w -> 0 <= x -> 0 <= y -> w ^+ 2 <= x * y -> w *+ 2 <= x + y.
Proof.
move=> w_ge0 x_ge0 y_ge0 w2_le; rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?mulrn_wge0 ?addr_ge0 //.
apply: (@le_trans _ _ ((x * y) *+ 4)).
  by rewrite exprMn_n ler_muln2r.
by rewrite -subr_ge0 (_ : _ - _ = (x - y) ^+ 2) ?sqr_ge0 //; ring.
Qed.

Lemma sum_sqr_le (D : nat) (b : 'I_D -> nat) :
  ((\sum_f b f) ^ 2 <= D * \sum_f b f ^ 2)%N.
Proof.
rewrite -(leq_pmul2l (ltn0Sn 1)).
have -> : (2 * (\sum_f b f) ^ 2 = \sum_f \sum_g 2 * (b f * b g))%N.
  rewrite -mulnn big_distrl big_distrr; apply: eq_bigr => f _ /=.
  by rewrite !big_distrr.
apply: (@leq_trans (\sum_f \sum_g (b f ^ 2 + b g ^ 2))).
  by apply: leq_sum => f _; apply: leq_sum => g _; apply: nat_Cauchy.
under eq_bigr do rewrite big_split sum_nat_const card_ord.
by rewrite big_split /= -big_distrr sum_nat_const card_ord addnn mul2n.
Qed.

(* A sum of J terms has a term of at least the average. *)
Lemma avg_le (R : realFieldType) (J : nat) (F : 'I_J -> R) (x : R) :
  (0 < J)%N -> x <= \sum_j F j -> exists j, x <= J%:R * F j.
Proof.
move=> J_gt0 x_le; have [/existsP //|] := boolP [exists j, x <= J%:R * F j].
move=> /existsPn none; suff : 0 < \sum_j (x - J%:R * F j).
  rewrite sumrB -mulr_sumr sumr_const card_ord -[x *+ J]mulr_natl -mulrBr.
  by rewrite pmulr_rgt0 ?ltr0n // subr_gt0 ltNge x_le.
apply: (sumr_gt0 (i0 := Ordinal J_gt0)) => // j _.
by rewrite subr_gt0 ltNge none.
Qed.

Notation dyadic j := (2%:R^-1 ^+ j).

Lemma dyadic_gt0 (R : realFieldType) j : 0 < dyadic j :> R.
Proof. by rewrite exprn_gt0 // invr_gt0 ltr0n. Qed.

(* Binary digits: a value of at most 1 is a sum over the levels below it. *)
Lemma dyadic_layers (R : realFieldType) (p : R) J : p <= 1 ->
  p <= dyadic J + \sum_(j < J) dyadic j.+1 * (dyadic j.+1 <= p)%R%:R.
Proof.
move=> p_le1; elim: J => [|J IHJ]; first by rewrite big_ord0 addr0 expr0.
rewrite big_ord_recr /=; have [J_le|p_lt] := leP (dyadic J.+1) p; last first.
  rewrite mulr0 addr0 (le_trans (ltW p_lt)) // ler_addl sumr_ge0 // => j _.
  by rewrite mulr_ge0 ?ler0n // ltW ?dyadic_gt0.
rewrite mulr1 addrCA addrC -mulr2n exprS -mulrnAl -[_ *+ 2]mulr_natl divff ?pnatr_eq0 //.
by rewrite mul1r.
Qed.

(* A matrix of inner products of non-negative features, its diagonal 1.       *)
Section Levels.
Variables (R : realFieldType) (I : finType) (D : nat) (V : {set I}).
Variables (u v : I -> 'I_D -> R) (H : I -> I -> R).
Hypothesis u_ge0 : forall S f, 0 <= u S f.
Hypothesis v_ge0 : forall S f, 0 <= v S f.
Hypothesis uv_le : {in V &, forall S T, \sum_f u S f * v T f <= H S T}.
Hypothesis uv_diag : {in V, forall S, \sum_f u S f * v S f = 1}.
Hypothesis H_sym : {in V &, forall S T, H S T = H T S}.

Definition level (w : R) f : {set I} := [set S in V | w <= u S f * v S f].

Lemma levelP w f S : S \in level w f -> S \in V /\ w <= u S f * v S f.
Proof. by rewrite inE => /andP. Qed.

Section AtLevel.
Variable w : R.
Hypothesis w_ge0 : 0 <= w.

Lemma common_levels S T : S \in V -> T \in V ->
  w * (\sum_f (S \in level w f) * (T \in level w f))%:R <= H S T.
Proof.
move=> SV TV; rewrite -(ler_pmuln2r (ltn0Sn 1)) natr_sum mulr_sumr -sumrMnl.
rewrite [X in _ <= X]mulr2n {2}(H_sym SV TV).
apply: le_trans (ler_add (uv_le SV TV) (uv_le TV SV)).
rewrite -big_split /=; apply: ler_sum => f _.
have uv_ge0 S' T' : 0 <= u S' f * v T' f by rewrite mulr_ge0.
have [/levelP[_ S_ge]|_] := boolP (S \in _); last first.
  by rewrite mul0n mulr0 mul0rn addr_ge0.
have [/levelP[_ T_ge]|_] := boolP (T \in _); last first.
  by rewrite muln0 mulr0 mul0rn addr_ge0.
rewrite mulr1 double_le_sum // (_ : _ * _ * _ = (u S f * v S f) * (u T f * v T f)); last by ring.
by rewrite expr2 ler_pmul.
Qed.

Lemma level_close f : {in level w f &, forall S T, w <= H S T}.
Proof.
move=> S T Sf Tf; have [[SV _] [TV _]] := (levelP Sf, levelP Tf).
apply: le_trans (common_levels SV TV); rewrite ler_pemulr // ler1n.
by rewrite (bigD1 f) //= Sf Tf.
Qed.

Lemma sum_levels_sqr :
  w * (\sum_f #|level w f|)%:R ^+ 2 <= D%:R * \sum_(S in V) \sum_(T in V) H S T.
Proof.
rewrite -natrX; apply: (@le_trans _ _ (w * (D * \sum_f #|level w f| ^ 2)%:R)).
  by rewrite ler_wpmul2l // ler_nat sum_sqr_le.
rewrite natrM mulrCA ler_wpmul2l ?ler0n //.
have -> : (\sum_f #|level w f| ^ 2)%N =
    (\sum_(S in V) \sum_(T in V) \sum_f (S \in level w f) * (T \in level w f))%N.
  have cardE f : #|level w f| = (\sum_(S in V) (S \in level w f))%N.
    rewrite -sum1_card big_mkcond [RHS]big_mkcond /=; apply: eq_bigr => S _.
    by rewrite inE; case: (S \in V) => //=; case: ifP.
  under eq_bigr do rewrite -mulnn cardE big_distrl.
  rewrite exchange_big; apply: eq_bigr => S _.
  under eq_bigr do rewrite big_distrr.
  by rewrite exchange_big.
rewrite natr_sum mulr_sumr; apply: ler_sum => S SV.
by rewrite natr_sum mulr_sumr; apply: ler_sum => T TV; apply: common_levels.
Qed.

End AtLevel.

Lemma dyadic_levels J : (2 * D <= 2 ^ J)%N ->
  #|V|%:R <= \sum_(j < J) dyadic j * (\sum_f #|level (dyadic j.+1) f|)%:R :> R.
Proof.
move=> D_le; have uv_ge0 S f : 0 <= u S f * v S f by rewrite mulr_ge0.
have uv_le1 S f : S \in V -> u S f * v S f <= 1.
  by move=> SV; rewrite -(uv_diag SV) (bigD1 f) //= ler_addl sumr_ge0.
have J_le : D%:R * dyadic J <= 2%:R^-1 :> R.
  rewrite exprVn ler_pdivr_mulr ?exprn_gt0 ?ltr0n // ler_pdivl_mull ?ltr0n //.
  by rewrite -natrX -natrM ler_nat.
have half j : dyadic j = 2%:R * dyadic j.+1 :> R.
  by rewrite exprS mulrA divff ?mul1r ?pnatr_eq0.
under eq_bigr do rewrite half -mulrA; rewrite -mulr_sumr.
rewrite -ler_pdivr_mull ?ltr0n // -(ler_add2l (2%:R^-1 * #|V|%:R)) -mulrDl -mulr2n.
rewrite -[_ *+ 2]mulr_natl divff ?pnatr_eq0 // mul1r.
apply: (@le_trans _ _ (D%:R * dyadic J * #|V|%:R +
    \sum_(j < J) dyadic j.+1 * (\sum_f #|level (dyadic j.+1) f|)%:R)); last first.
  by rewrite ler_add2r ler_wpmul2r ?ler0n.
have {1}-> : #|V|%:R = \sum_(S in V) \sum_f u S f * v S f.
  by rewrite (eq_bigr (fun=> 1)) ?sumr_const.
apply: (@le_trans _ _ (\sum_(S in V) \sum_f (dyadic J +
    \sum_(j < J) dyadic j.+1 * (S \in level (dyadic j.+1) f)%:R))).
  apply: ler_sum => S SV; apply: ler_sum => f _.
  apply: le_trans (dyadic_layers J (uv_le1 S f SV)) _.
  by under [X in _ <= _ + X]eq_bigr do rewrite inE SV.
under eq_bigr do rewrite big_split sumr_const card_ord /=.
rewrite big_split sumr_const /= ler_add //.
  by rewrite -[_ *+ #|V|]mulr_natr -[_ *+ D]mulr_natl.
under eq_bigr do rewrite exchange_big.
rewrite exchange_big; apply: ler_sum => j _.
rewrite exchange_big natr_sum mulr_sumr; apply: ler_sum => f _.
rewrite -mulr_sumr ler_wpmul2l ?(ltW (dyadic_gt0 _ _)) // -natr_sum ler_nat.
rewrite -sum1_card big_mkcond [X in (_ <= X)%N]big_mkcond; apply: leq_sum => S _ /=.
by case: ifP => // _; case: ifP.
Qed.

(* One of the levels carries its share. *)
Theorem levels_bound J : (0 < J)%N -> (2 * D <= 2 ^ J)%N ->
  exists j : 'I_J, let w : R := dyadic j.+1 in
    #|V|%:R ^+ 2 <= (2 * J)%:R ^+ 2 * w * (D%:R * \sum_(S in V) \sum_(T in V) H S T) /\
    forall N, (forall f, #|level w f| <= N)%N -> #|V|%:R <= (2 * J)%:R * w * (D * N)%:R.
Proof.
move=> J_gt0 D_le; have [j V_le] := avg_le J_gt0 (dyadic_levels D_le).
exists j; move=> w; have w_gt0 : 0 < w := dyadic_gt0 _ _.
have {}V_le : #|V|%:R <= (2 * J)%:R * w * (\sum_f #|level w f|)%:R.
  apply: le_trans V_le _; rewrite mulrA ler_wpmul2r ?ler0n // /w exprS.
  by rewrite natrM mulrACA divff ?pnatr_eq0 // mul1r.
split=> [|N N_ge].
  apply: (@le_trans _ _ (((2 * J)%:R * w * (\sum_f #|level w f|)%:R) ^+ 2)).
    by rewrite ler_expn2r // nnegrE ?ler0n // !mulr_ge0 ?ler0n // ltW.
  rewrite exprMn exprMn -2!mulrA ler_wpmul2l ?sqr_ge0 // expr2 -mulrA.
  by rewrite ler_pmul2l // sum_levels_sqr // ltW.
apply: le_trans V_le _; rewrite ler_wpmul2l ?mulr_ge0 ?ler0n ?(ltW w_gt0) // ler_nat.
by rewrite -[in X in (_ <= X)%N](card_ord D) -sum_nat_const leq_sum.
Qed.

End Levels.

(* Non-negative features of position-dependent maps. *)
Section NonnegFeatures.
Variables (R : realFieldType) (m n D : nat).
Implicit Types K : pkernel R m n.+1.

Definition has_nonneg_pfeatures K : Prop :=
  exists phi psi : 'I_n.+1 -> token m -> 'rV[R]_D,
  [/\ forall i q f, 0 <= phi i q 0 f, forall j a f, 0 <= psi j a 0 f &
      forall i j q a, K i j q a = (phi i q *m (psi j a)^T) 0 0].

Lemma nonneg_features_uniform (K : kernel R m) :
  has_nonneg_features D K -> has_nonneg_pfeatures (uniform K).
Proof. by case=> phi [psi [? ? ?]]; exists (fun _ => phi), (fun _ => psi); split. Qed.

Variable K : pkernel R m n.+1.
Hypothesis featK : has_nonneg_pfeatures K.

Lemma nonneg_pfeatures : has_pfeatures D K.
Proof. by have [phi [psi [_ _ Kpp]]] := featK; exists phi, psi. Qed.

Lemma nonneg_pfeatures_ge0 : nonneg K.
Proof.
have [phi [psi [phi_ge0 psi_ge0 Kpp]]] := featK => i j q a.
by rewrite Kpp mxE sumr_ge0 // => f _; rewrite mxE mulr_ge0.
Qed.

Lemma kbar_nonneg_features : has_nonneg_features D (kbar K).
Proof.
have [phi [psi [phi_ge0 psi_ge0 Kpp]]] := featK.
exists (phi ord_max), (fun a => \sum_(j | j != ord_max) psi j a); split=> [||q a] //.
  by move=> a f; rewrite summxE sumr_ge0.
rewrite raddf_sum mulmx_sumr summxE.
by apply: eq_bigr => j _; rewrite Kpp.
Qed.

End NonnegFeatures.

(* The sum of f over the pairs of a layer, per set. *)
Definition layer_mass (R : realFieldType) (f : nat -> R) (m k : nat) : R :=
  \sum_(s < k.+1) ('C(k, s) * 'C(m - k, s))%:R * f s.

Lemma layer_massE (R : realFieldType) (f : nat -> R) m k (S : token m) :
  #|S| = k -> \sum_(T : token m | #|T| == k) f #|S :\: T| = layer_mass f m k.
Proof.
move=> <-; under eq_bigl do rewrite -[_ == _]andbT.
rewrite (layer_sum S f xpredT); apply: eq_bigr => s _.
by rewrite mulr_natl.
Qed.

(* Two sets of the same size. *)
Lemma card_setD_sym (T : finType) (A B : {set T}) :
  #|A| = #|B| -> #|A :\: B| = #|B :\: A|.
Proof. by have := cardsID A B; have := cardsID B A; rewrite (setIC A B); lia. Qed.

Section Layer.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1) (D : nat).
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis solK : solves causal self tau K inner.
Hypothesis featK : has_nonneg_pfeatures D K.

Let hn := h n.+1 tau.
Let K_ge0 := nonneg_pfeatures_ge0 featK.
Let kbar_nn := @kbar_ge0 _ _ _ _ K_ge0.
Let decayK := inner_decay n_gt1 tau_gt0 K_ge0 tau_lt1 solK.

Let tau_lt s : (0 < s)%N -> tau < s%:R.
Proof. by move=> s_gt0; apply: lt_le_trans tau_lt1 _; rewrite ler1n. Qed.

(* L9 for a layer: a level w = 1/2^j at which both bounds hold. *)
Theorem nonneg_layer_bound k J : (0 < k <= m)%N -> (0 < J)%N -> (2 * D <= 2 ^ J)%N ->
  exists j : 'I_J, let w : R := dyadic j.+1 in
    'C(m, k)%:R <= (2 * J)%:R ^+ 2 * w * (D%:R * layer_mass hn m k) /\
    forall r, (r.*2 < m)%N -> (forall s, (r < s <= k)%N -> hn s < w) ->
      'C(m, k)%:R <= (2 * J)%:R * w * (D * \sum_(i < r.+1) 'C(m, i))%:R.
Proof.
move=> /andP[k_gt0 k_le] J_gt0 D_le.
have [phi [psi [phi_ge0 psi_ge0 Kpp]]] := kbar_nonneg_features featK.
pose V := [set S : token m | #|S| == k].
have cV S : S \in V -> #|S| = k by rewrite inE => /eqP.
have kbar_gt0 S : S \in V -> 0 < kbar K S (~: S).
  move=> SV; apply: (decay_gt0 kbar_nn decayK).
    by rewrite dot_setC setDv cards0 subn0 cV // tau_lt.
  by rewrite dot_setC setDv cards0 subn0 cV // h_gt0.
pose u (S : token m) f : R := phi S 0 f / kbar K S (~: S).
pose v (S : token m) f : R := psi (~: S) 0 f.
pose H (S T : token m) : R := hn #|S :\: T|.
have uvE S T : \sum_f u S f * v T f = kbar K S (~: T) / kbar K S (~: S).
  rewrite [in X in _ = X / _]Kpp mxE mulr_suml; apply: eq_bigr => f _.
  by rewrite mxE mulrAC.
have uv_diag : {in V, forall S, \sum_f u S f * v S f = 1}.
  by move=> S SV; rewrite uvE divff ?gt_eqF ?kbar_gt0.
have uv_le : {in V &, forall S T, \sum_f u S f * v T f <= H S T}.
  move=> S T SV TV; have [<-|ne] := eqVneq S T.
    by rewrite uv_diag // /H setDv cards0.
  rewrite uvE ler_pdivr_mulr ?kbar_gt0 // ltW // decayK //.
    by rewrite !dot_setC setDv cards0.
  rewrite tau_lt // lt0n cards_eq0 setD_eq0; apply: contra_neqN ne.
  by move=> /subset_leqif_cards[_]; rewrite !cV // eqxx => /esym/eqP.
have symD S T : S \in V -> T \in V -> #|S :\: T| = #|T :\: S|.
  by move=> SV TV; apply: card_setD_sym; rewrite !cV.
have H_sym : {in V &, forall S T, H S T = H T S}.
  by move=> S T SV TV; rewrite /H symD.
have u_ge0 S f : 0 <= u S f by rewrite divr_ge0.
have v_ge0 S f : 0 <= v S f by apply: psi_ge0.
have cardV : #|V| = 'C(m, k) by rewrite card_draws card_ord.
have [j []] := levels_bound u_ge0 v_ge0 uv_le uv_diag H_sym J_gt0 D_le.
move: (dyadic_gt0 R j.+1); set w := dyadic _; rewrite cardV => w_gt0 sqr_le lin_le.
exists j; split=> [|r r_lt far].
  apply: ler_pmul2l_sqr; first by rewrite ltr0n bin_gt0.
  apply: le_trans sqr_le _; rewrite -!mulrA !ler_wpmul2l ?sqr_ge0 ?ler0n ?(ltW w_gt0) //.
  rewrite (eq_bigr (fun=> layer_mass hn m k)) => [|S SV].
    by rewrite sumr_const cardV -[_ *+ _]mulr_natr.
  rewrite -(layer_massE hn (cV S SV)).
  by under eq_bigl do rewrite inE.
apply: lin_le => f; have := @kleitman _ r (level V u v w f).
rewrite card_ord => /(_ r_lt); apply=> S T Sf Tf.
have [[SV _] [TV _]] := (levelP Sf, levelP Tf).
have D_le_r : (#|S :\: T| <= r)%N.
  rewrite leqNgt; apply/negP => r_lt_D.
  have := level_close u_ge0 v_ge0 uv_le H_sym (ltW w_gt0) Sf Tf.
  rewrite leNgt far // r_lt_D -[X in (_ <= X)%N](cV S SV).
  by rewrite subset_leq_card ?subsetDl.
by rewrite -(symD S T) // addnn leq_double.
Qed.

End Layer.

(* Elementary sums. *)
Section Sums.
Variable R : realFieldType.
Implicit Types x y z : R.

Lemma binomial_sum x k N : (k <= N)%N ->
  \sum_(s < N.+1) 'C(k, s)%:R * x ^+ s = (1 + x) ^+ k.
Proof.
move=> k_le; rewrite exprDn.
rewrite (big_ord_widen _ (fun s => (1 ^+ (k - s) * x ^+ s) *+ 'C(k, s)) (k_le : k < N.+1)%N).
rewrite [RHS]big_mkcond /=; apply: eq_bigr => s _.
by rewrite expr1n mul1r mulr_natl; case: ltnP => // ?; rewrite bin_small.
Qed.

Lemma sum_mul_le (I : finType) (F G : I -> R) :
  (forall i, 0 <= F i) -> (forall i, 0 <= G i) ->
  \sum_i F i * G i <= (\sum_i F i) * (\sum_i G i).
Proof.
move=> F_ge0 G_ge0; rewrite mulr_suml; apply: ler_sum => i _.
by rewrite ler_wpmul2l // (bigD1 i) //= ler_addl sumr_ge0.
Qed.

Lemma binomial_tail_le z m r : 0 <= z -> z <= 1 -> (r <= m)%N ->
  (\sum_(i < r.+1) 'C(m, i))%N%:R * z ^+ r <= (1 + z) ^+ m.
Proof.
move=> z_ge0 z_le1 r_le; rewrite -(binomial_sum z (leqnn m)) natr_sum mulr_suml.
rewrite (big_ord_widen m.+1 (fun i => 'C(m, i)%:R * z ^+ r)) // big_mkcond.
apply: ler_sum => i _ /=; rewrite ltnS; case: leqP => [i_le|_].
  by rewrite ler_wpmul2l ?ler0n // ler_wiexpn2l.
by rewrite mulr_ge0 ?ler0n ?exprn_ge0.
Qed.

Lemma layer_mass_le (f : nat -> R) (c u : R) m k : (k <= m)%N -> 0 <= u -> 0 <= c ->
    (forall s, f s <= c * (u ^+ 2) ^+ s) ->
  layer_mass f m k <= c * (1 + u) ^+ m.
Proof.
move=> k_le u_ge0 c_ge0 f_le; apply: (@le_trans _ _ (c * \sum_(s < k.+1)
    ('C(k, s)%:R * u ^+ s) * ('C(m - k, s)%:R * u ^+ s))).
  rewrite mulr_sumr; apply: ler_sum => s _.
  apply: le_trans (ler_wpmul2l (ler0n _ _) (f_le s)) _.
  by rewrite le_eqVlt natrM -exprM mulnC exprM; apply/orP; left; apply/eqP; ring.
rewrite ler_wpmul2l // -[in X in _ <= X](subnKC k_le) exprD.
rewrite -(binomial_sum u (leqnn k)) -(binomial_sum u (leqnn (m - k))).
have mono : \sum_(s < k.+1) 'C(m - k, s)%:R * u ^+ s <=
            \sum_(s < (m - k).+1) 'C(m - k, s)%:R * u ^+ s.
  have [le_km|lt_mk] := leqP k (m - k).
    rewrite (big_ord_widen (m - k).+1 (fun s => 'C(m - k, s)%:R * u ^+ s)) // big_mkcond.
    by apply: ler_sum => s _; case: ifP => // _; rewrite mulr_ge0 ?ler0n ?exprn_ge0.
  by rewrite !binomial_sum // ltnW.
apply: le_trans (sum_mul_le _ _) _; try by move=> s; rewrite mulr_ge0 ?ler0n ?exprn_ge0.
by rewrite ler_wpmul2l // sumr_ge0 // => s _; rewrite mulr_ge0 ?ler0n ?exprn_ge0.
Qed.

End Sums.

Section Exponential.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1) (D : nat).
Hypothesis m_gt0 : (0 < m)%N.
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis solK : solves causal self tau K inner.
Hypothesis featK : has_nonneg_pfeatures D K.

Let hn := h n.+1 tau.
Let layer := nonneg_layer_bound n_gt1 tau_gt0 tau_lt1 solK featK.

Let D_gt0 : (0 < D)%N.
Proof.
exact: (features_gt0 m_gt0 n_gt1 tau_gt0 tau_lt1 (nonneg_pfeatures_ge0 featK) solK
          (nonneg_pfeatures featK)).
Qed.

(* A rate h(s) <= c y^s, y = u^2, and z <= y. *)
Variables (c u z : R).
Hypotheses (u_gt0 : 0 < u) (u_le1 : u <= 1).
Hypotheses (z_gt0 : 0 < z) (z_le : z <= u ^+ 2).
Hypothesis hn_le : forall s, hn s <= c * (u ^+ 2) ^+ s.

Let y := u ^+ 2.
Let y_gt0 : 0 < y. Proof. exact: exprn_gt0. Qed.
Let y_ge0 : 0 <= y. Proof. exact: ltW. Qed.
Let y_le1 : y <= 1. Proof. by rewrite exprn_ile1 // ltW. Qed.
Let c_ge1 : 1 <= c. Proof. by have := hn_le 0; rewrite expr0 mulr1. Qed.
Let c_ge0 : 0 <= c. Proof. exact: le_trans ler01 c_ge1. Qed.
Let yz_ge1 : 1 <= y / z. Proof. by rewrite ler_pdivl_mulr ?mul1r. Qed.
Let u1_ge0 : 0 <= 1 + u. Proof. by rewrite addr_ge0 ?ler01 ?ltW. Qed.
Let z1_ge0 : 0 <= 1 + z. Proof. by rewrite addr_ge0 ?ler01 ?ltW. Qed.

(* One layer: r is the distance at which the two bounds meet. *)
Theorem nonneg_layer_exp k J r : (0 < k <= m)%N -> (0 < J)%N -> (2 * D <= 2 ^ J)%N ->
    (r.*2 <= m.+1)%N ->
  'C(m, k)%:R <= D%:R * ((2 * J)%:R ^+ 2 * (c ^+ 2 * y ^+ r * (1 + u) ^+ m) +
                         (2 * J)%:R * (c * (y / z) ^+ r * (1 + z) ^+ m)).
Proof.
move=> k_in J_gt0 D_le r_le; have [j []] := layer k_in J_gt0 D_le.
have := dyadic_gt0 R j.+1; have : dyadic j.+1 <= c.
  by apply: le_trans c_ge1; rewrite exprn_ile1 ?invr_ge0 ?ler0n // invf_le1 ?ltr0n ?ler1n.
move: (dyadic _) => w w_le w_gt0 near far.
set a := c ^+ 2 * _ * _; set b := c * _ * _.
have a_ge0 : 0 <= a by apply: mulr_ge0; [apply: mulr_ge0 |]; apply: exprn_ge0.
have b_ge0 : 0 <= b.
  apply: mulr_ge0; [apply: mulr_ge0 => // |]; apply: exprn_ge0 => //.
  exact: le_trans ler01 yz_ge1.
have [w_small|w_big] := leP w (c * y ^+ r).
  apply: le_trans near _; rewrite mulrCA ler_wpmul2l ?ler0n //.
  apply: ler_paddr; first by rewrite mulr_ge0 ?ler0n.
  rewrite -mulrA ler_wpmul2l ?sqr_ge0 //.
  have -> : a = (c * y ^+ r) * (c * (1 + u) ^+ m) by rewrite /a; ring.
  have mass_ge0 : 0 <= layer_mass hn m k.
    apply: sumr_ge0 => s _; rewrite mulr_ge0 ?ler0n //.
    by case: (val s) => [|s']; [exact: ler01 | rewrite ltW // /hn h_gt0].
  rewrite ler_pmul ?(ltW w_gt0) // layer_mass_le //; last exact: ltW.
  by case/andP: k_in.
have ex_s : exists s, c * y ^+ s < w by exists r.
case: (ex_minnP ex_s) => [[|t] t_lt t_min].
  by move: t_lt; rewrite expr0 mulr1 ltNge w_le.
have t_lt_r : (t < r)%N by apply: t_min.
have w_le_t : w <= c * y ^+ t.
  by rewrite leNgt; apply/negP => /t_min; rewrite ltnn.
have far_t s : (t < s <= k)%N -> hn s < w.
  move=> /andP[t_lt_s _]; apply: le_lt_trans (hn_le s) _; apply: le_lt_trans t_lt.
  by rewrite ler_wpmul2l // ler_wiexpn2l // ltW.
have t_lt_m : (t.*2 < m)%N.
  by rewrite -ltnS (leq_trans _ r_le) // -doubleS leq_double.
have {far} := far t t_lt_m far_t; move/le_trans; apply.
rewrite [(D * _)%N%:R]natrM mulrCA ler_wpmul2l ?ler0n //; apply: ler_paddl.
  by rewrite mulr_ge0 ?sqr_ge0.
rewrite -mulrA ler_wpmul2l ?ler0n //.
have z_le1 : z <= 1 by apply: le_trans z_le y_le1.
have tail := @binomial_tail_le _ z m t (ltW z_gt0) z_le1.
apply: (@le_trans _ _ (c * (y / z) ^+ t * (1 + z) ^+ m)).
  apply: (@le_trans _ _ (c * y ^+ t * (\sum_(i < t.+1) 'C(m, i))%N%:R)).
    by rewrite ler_wpmul2r ?ler0n.
  rewrite expr_div_n -!mulrA !ler_wpmul2l ?(exprn_ge0 t y_ge0) //.
  rewrite ler_pdivl_mull ?exprn_gt0 // mulrC tail //.
  by rewrite -leq_double ltnW // (leq_trans t_lt_m) // -addnn leq_addr.
rewrite ler_wpmul2r ?exprn_ge0 // ler_wpmul2l //.
by rewrite ler_weexpn2l // ltnW.
Qed.

Let B r : R := (2 * m.+1)%:R ^+ 2 * (c ^+ 2 * y ^+ r * (1 + u) ^+ m) +
               (2 * m.+1)%:R * (c * (y / z) ^+ r * (1 + z) ^+ m).

Let B_ge1 r : 1 <= B r.
Proof.
rewrite -[X in X <= _]add0r ler_add //.
  rewrite mulr_ge0 ?sqr_ge0 // mulr_ge0 ?exprn_ge0 //.
  by rewrite mulr_ge0 ?sqr_ge0 // exprn_ge0.
have z1_ge1 : 1 <= 1 + z by rewrite ler_addl ltW.
rewrite mulr_ege1 ?ler1n // mulr_ege1 ?exprn_ege1 //.
by rewrite mulr_ege1 ?exprn_ege1.
Qed.

(* L9, all layers together. *)
Theorem nonneg_exponential r : (r.*2 <= m.+1)%N -> 2%:R ^+ m <= (m.+1 * D)%:R * B r.
Proof.
move=> r_le; have B_ge0 : 0 <= B r := le_trans ler01 (B_ge1 r).
have [D_le|D_gt] := leqP D (2 ^ m); last first.
  apply: (@le_trans _ _ (D%:R * 1)); first by rewrite mulr1 -natrX ler_nat ltnW.
  by rewrite ler_pmul ?ler0n ?ler01 ?B_ge1 // ler_nat leq_pmull.
have -> : 2%:R ^+ m = \sum_(k < m.+1) 'C(m, k)%:R :> R.
  rewrite -natrX -[2%N]/(1 + 1)%N expnDn natr_sum.
  by apply: eq_bigr => k _; rewrite !exp1n !muln1.
have -> : (m.+1 * D)%:R * B r = \sum_(k < m.+1) D%:R * B r.
  by rewrite sumr_const card_ord natrM -mulrA mulr_natl.
apply: ler_sum => k _; have k_le : (k <= m)%N by rewrite -ltnS.
have [k0|k_gt0] := posnP k.
  by rewrite k0 bin0 mulr_ege1 ?ler1n ?B_ge1.
apply: nonneg_layer_exp => //; first by rewrite k_gt0.
by rewrite expnS leq_mul2l.
Qed.


(* The base b of the exponential, for the distance p m / q. *)
Theorem nonneg_exponential_base (b : R) p q : (0 < q)%N -> (p.*2 <= q)%N -> 0 <= b ->
    y ^+ p * (b * (1 + u)) ^+ q <= 2%:R ^+ q ->
    (y / z) ^+ p * (b * (1 + z)) ^+ q <= 2%:R ^+ q ->
  b ^+ m <= (m.+1 * D)%:R * ((2 * m.+1)%:R ^+ 2 * (c ^+ 2 / y) + (2 * m.+1)%:R * c).
Proof.
move=> q_gt0 p_le b_ge0 near far; pose r := (p * m %/ q)%N.
have r_ge : (p * m <= r.+1 * q)%N by rewrite ltnW // ltn_ceil.
have r_le : (r * q <= p * m)%N by rewrite leq_trunc_div.
have r2_le : (r.*2 <= m.+1)%N.
  rewrite ltnW // ltnS -(leq_pmul2r q_gt0) -doubleMl.
  by rewrite (@leq_trans (p * m).*2) ?leq_double // doubleMl mulnC leq_mul2l p_le orbT.
have yz_ge0 : 0 <= y / z := le_trans ler01 yz_ge1.
have root (x a d : R) e : 0 <= x -> 0 <= a -> 0 <= d -> x ^+ q <= (a ^+ p) ^+ m ->
    a ^+ p * (b * d) ^+ q <= 2%:R ^+ q -> e = x * (b * d) ^+ m -> e <= 2%:R ^+ m.
  move=> x_ge0 a_ge0 d_ge0 x_le ad_le ->.
  have bd_ge0 : 0 <= b * d by rewrite mulr_ge0.
  rewrite -(@ler_pexpn2r _ q) ?nnegrE ?mulr_ge0 ?exprn_ge0 ?ler0n //.
  rewrite exprMn [((b * d) ^+ m) ^+ q]exprAC [(_ ^+ m) ^+ q in X in _ <= X]exprAC.
  apply: le_trans (ler_wpmul2r _ x_le) _; first by rewrite !exprn_ge0.
  rewrite -exprMn ler_expn2r // nnegrE ?mulr_ge0 ?exprn_ge0 ?ler0n //.
have near_m : y * (y ^+ r * (1 + u) ^+ m * b ^+ m) <= 2%:R ^+ m.
  apply: (root (y ^+ r.+1) y (1 + u)) => //; first exact: exprn_ge0.
    by rewrite -[(y ^+ r.+1) ^+ q]exprM -[(y ^+ p) ^+ m]exprM ler_wiexpn2l.
  by rewrite exprS [(b * _) ^+ m]exprMn -!mulrA [b ^+ m * _]mulrC.
have far_m : (y / z) ^+ r * (1 + z) ^+ m * b ^+ m <= 2%:R ^+ m.
  apply: (root ((y / z) ^+ r) (y / z) (1 + z)) => //; first exact: exprn_ge0.
    by rewrite -[_ ^+ q]exprM -[(_ ^+ p) ^+ m]exprM ler_weexpn2l.
  by rewrite [(b * _) ^+ m]exprMn -!mulrA [b ^+ m * _]mulrC.
have two_gt0 : 0 < 2%:R ^+ m :> R by rewrite exprn_gt0 ?ltr0n.
rewrite -(ler_pmul2l two_gt0).
apply: le_trans (ler_wpmul2r (exprn_ge0 m b_ge0) (nonneg_exponential r2_le)) _.
rewrite -[X in X <= _]mulrA [X in _ <= X]mulrCA ler_wpmul2l ?ler0n // /B mulrDl mulrDr.
apply: ler_add.
  rewrite -[X in X <= _]mulrA [X in _ <= X]mulrCA; apply: ler_wpmul2l; first exact: sqr_ge0.
  rewrite -[c ^+ 2 * _ * _]mulrA -[X in X <= _]mulrA [X in _ <= X]mulrCA.
  apply: ler_wpmul2l; first exact: sqr_ge0.
  by rewrite ler_pdivl_mulr // mulrC.
rewrite -[X in X <= _]mulrA [X in _ <= X]mulrCA; apply: ler_wpmul2l; first exact: ler0n.
rewrite -[c * _ * _]mulrA -[X in X <= _]mulrA [X in _ <= X]mulrC.
exact: ler_wpmul2l.
Qed.

End Exponential.
