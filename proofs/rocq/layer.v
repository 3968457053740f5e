(******************************************************************************)
(* The layer bounds: L1 (P2), L2 (P4), L3 (free readout).                     *)
(* Length n.+1 with n >= 2 competitors; any ordered field, any tolerance      *)
(* 0 < tau < 1; position-dependent maps; causal or not; self or not.          *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import linalg defs rates decay family.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* The layer sum at order k, with weights f^2 over the s in P. *)
Definition layer_den (R : realFieldType) (f : nat -> R) (m k : nat) (P : pred nat) : R :=
  \sum_(s < k.+1 | P s) ('C(k, s) * 'C(m - k, s))%:R * f s ^+ 2.

Lemma layer_denE (R : realFieldType) (f : nat -> R) m k (P : pred nat) (S : token m) :
  #|S| = k -> layer_den f m k P =
  \sum_(T : token m | (#|T| == k) && P #|S :\: T|) f #|S :\: T| ^+ 2.
Proof.
move=> <-; rewrite (layer_sum S (fun s => f s ^+ 2) P).
by apply: eq_bigr => s _; rewrite mulr_natl.
Qed.

Lemma ler_pmul2l_sqr (R : realFieldType) (N B : R) :
  0 < N -> N ^+ 2 <= B * N -> N <= B.
Proof. by move=> N_gt0; rewrite expr2 ler_pmul2r. Qed.

Lemma layer_den_ge0 (R : realFieldType) (f : nat -> R) m k (P : pred nat) :
  0 <= layer_den f m k P.
Proof. by apply: sumr_ge0 => s _; rewrite mulr_ge0 ?ler0n ?sqr_ge0. Qed.

Section Inner.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1) (D : nat).
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K inner.
Hypothesis featK : has_pfeatures D K.

Let hn := h n.+1 tau.

Let tau_lt s : (0 < s)%N -> tau < s%:R.
Proof. by move=> s_gt0; apply: lt_le_trans tau_lt1 _; rewrite ler1n. Qed.

Lemma h_gt0 s : (0 < s)%N -> 0 < hn s.
Proof. by move=> /tau_lt; apply: hmin_gt0 => // r; apply: g_gt0. Qed.

Let decayK := inner_decay n_gt1 tau_gt0 K_ge0 tau_lt1 solK.
Let kbar_nn := @kbar_ge0 _ _ _ _ K_ge0.

Lemma layer_den_gt0 k (P : pred nat) : P 0%N -> 0 < layer_den hn m k P.
Proof.
move=> P0; rewrite /layer_den (bigD1 ord0) //= !bin0 mul1r.
apply: ltr_paddr; last by rewrite [hn 0]/(1 : R) expr1n ltr01.
by apply: sumr_ge0 => s _; rewrite mulr_ge0 ?ler0n ?sqr_ge0.
Qed.

(* L5: separated pairs, by the trace and by diagonal dominance. *)
Section Pairs.
Variables (N : nat) (q a : 'I_N -> token m).
Hypothesis below : forall i, (dot (q i) (a i) < #|q i|)%N.
Hypothesis sep : forall i j, i != j -> (dot (q i) (a i) < dot (q i) (a j))%N.

Let K_gt0 i : 0 < kbar K (q i) (a i).
Proof. by apply: (decay_gt0 kbar_nn decayK); rewrite ?tau_lt ?h_gt0 ?subn_gt0. Qed.

Let gap_gt i j : i != j -> tau < (gap q a i j)%:R.
Proof. by move=> ne; rewrite tau_lt // subn_gt0 sep. Qed.

Theorem pairs_trace_bound :
  N%:R ^+ 2 <= D%:R * \sum_i \sum_j hn (gap q a i j) ^+ 2.
Proof. exact: (trace_bound tau_gt0 _ _ decayK (kbar_features featK)). Qed.

Theorem pairs_dominance_bound :
  (forall i, \sum_(j | j != i) hn (gap q a i j) <= 1) -> (N <= D)%N.
Proof. exact: (dominance_bound tau_gt0 kbar_nn decayK (kbar_features featK) K_gt0 gap_gt). Qed.

End Pairs.

(* L1 and L2, for a family of k-subsets. *)
Theorem sets_bound k (F : {set token m}) : (0 < k)%N ->
    (forall S, S \in F -> #|S| = k) ->
  #|F|%:R ^+ 2 <= D%:R * \sum_(S in F) \sum_(T in F) hn #|S :\: T| ^+ 2.
Proof.
move=> k_gt0 card_F.
apply: (@set_family_bound _ _ _ tau hn (kbar K) tau_gt0 kbar_nn erefl decayK
         (kbar_features featK) k) => //; rewrite ?tau_lt ?h_gt0 //.
move=> S T SF TF ne; rewrite tau_lt // lt0n cards_eq0 setD_eq0.
by apply: contra_neqN ne => /subset_leqif_cards[_]; rewrite !card_F // eqxx => /esym/eqP.
Qed.

(* L1 and L2. *)
Theorem layer_bound k : (0 < k <= m)%N ->
  'C(m, k)%:R <= D%:R * layer_den hn m k xpredT.
Proof.
case/andP=> k_gt0 k_le; pose F := [set S : token m | #|S| == k].
have card_F S : S \in F -> #|S| = k by rewrite inE => /eqP.
have := sets_bound k_gt0 card_F; rewrite card_draws card_ord => bound.
apply: ler_pmul2l_sqr; first by rewrite ltr0n bin_gt0.
apply: le_trans bound _; rewrite -mulrA ler_wpmul2l ?ler0n //.
rewrite (eq_bigr (fun _ => layer_den hn m k xpredT)) => [|S SF].
  by rewrite sumr_const card_draws card_ord -[_ *+ _]mulr_natr.
rewrite (layer_denE hn xpredT (card_F _ SF)).
by apply: eq_bigl => T; rewrite inE andbT.
Qed.

Corollary layer_bound_div k : (0 < k <= m)%N ->
  'C(m, k)%:R / layer_den hn m k xpredT <= D%:R.
Proof. by move=> k_in; rewrite ler_pdivr_mulr ?layer_bound ?layer_den_gt0. Qed.

End Inner.

Section Free.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K V : pkernel R m n.+1) (D : nat).
Hypothesis n_gt1 : (1 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_lt1 : tau < 1).
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K V.
Hypothesis featK : has_pfeatures D K.

Let hn := h n.+1 (2%:R * tau).

Let tau2_gt0 : 0 < 2%:R * tau. Proof. by rewrite mulr_gt0 ?ltr0n. Qed.

Let tau2_lt s : (1 < s)%N -> 2%:R * tau < s%:R.
Proof.
move=> s_gt1; apply: (@lt_le_trans _ _ 2%:R); last by rewrite ler_nat.
by rewrite -{2}[2%:R]mulr1 ltr_pmul2l ?ltr0n.
Qed.

Let decayK := free_decay n_gt1 tau_gt0 solK.
Let kself_nn := @kself_ge0 _ _ _ self _ K_ge0.
Let hn_gt0 s : 2%:R * tau < s%:R -> 0 < hn s.
Proof. by apply: hmin_gt0 => // r; apply: g_gt0. Qed.

(* L3, for a family of k-subsets any two of which are far enough apart. *)
Theorem free_sets_bound k (F : {set token m}) : 2%:R * tau < k%:R ->
    (forall S, S \in F -> #|S| = k) ->
    {in F &, forall S T, S != T -> 2%:R * tau < #|S :\: T|%:R} ->
  #|F|%:R ^+ 2 <= (D + self)%:R * \sum_(S in F) \sum_(T in F) hn #|S :\: T| ^+ 2.
Proof.
move=> k_gt card_F sepF.
exact: (@set_family_bound _ _ _ _ hn (kself self K) tau2_gt0 kself_nn erefl decayK
         (kself_features self featK) k F card_F k_gt (hn_gt0 k_gt) sepF).
Qed.

(* k-subsets with the same sum of elements mod m never differ by one element. *)
Definition residue (S : token m) : nat := (\sum_(i in S) i) %% m.

Lemma residue_sep (S T : token m) :
  #|S| = #|T| -> residue S = residue T -> S != T -> (1 < #|S :\: T|)%N.
Proof.
move=> eqc eqr neST; have eqD : #|S :\: T| = #|T :\: S|.
  have := cardsID T S; have := cardsID S T; rewrite (setIC T S); lia.
rewrite ltn_neqAle lt0n cards_eq0 setD_eq0 andbC; apply/andP; split.
  by apply: contra_neqN neST => /subset_leqif_cards[_]; rewrite eqc eqxx => /esym/eqP.
apply/negP => /eqP e1; have := e1; rewrite eqD => e2.
have [x Sx] := cards1P (introT eqP (esym e1)).
have [y Ty] := cards1P (introT eqP (esym (etrans e1 eqD))).
have xy : x = y.
  have := eqr; rewrite /residue (big_setID T) /= [in RHS](big_setID S) /= setIC.
  rewrite Sx Ty !big_set1 => /eqP; rewrite eqn_modDl => /eqP.
  by rewrite !modn_small // => /val_inj.
have : x \in S :\: T by rewrite Sx inE.
by rewrite inE xy; have : y \in T :\: S by [rewrite Ty inE]; rewrite inE => /andP[_ ->].
Qed.

(* L3: one residue class holds at least C(m,k)/m of the k-subsets. *)
Theorem free_residue_bound k : (1 < k <= m)%N ->
  exists2 N : nat, ('C(m, k) <= m * N)%N &
  N%:R <= (D + self)%:R * layer_den hn m k (fun s => s != 1%N).
Proof.
case/andP=> k_gt1 k_le; have m_gt0 : (0 < m)%N by apply: leq_trans k_le; lia.
pose F r := [set S : token m | (#|S| == k) && (residue S == r)].
set den := layer_den _ _ _ _.
have boundF r : #|F r|%:R <= (D + self)%:R * den.
  have [->|F_gt0] := posnP #|F r|; first by rewrite mulr_ge0 ?ler0n ?layer_den_ge0.
  apply: ler_pmul2l_sqr; first by rewrite ltr0n.
  apply: le_trans (@free_sets_bound k (F r) (tau2_lt k_gt1) _ _) _.
  - by move=> S; rewrite inE => /andP[/eqP].
  - move=> S T; rewrite !inE => /andP[/eqP cS /eqP rS] /andP[/eqP cT /eqP rT] ne.
    by rewrite tau2_lt ?residue_sep ?cS ?rS.
  rewrite -mulrA ler_wpmul2l ?ler0n // mulr_natr -sumr_const.
  apply: ler_sum => S; rewrite inE => /andP[/eqP cS /eqP rS].
  rewrite /den (layer_denE hn _ cS) [X in _ <= X](bigID (mem (F r))) /=.
  rewrite ler_paddr ?sumr_ge0 // => [T _|]; first exact: sqr_ge0.
  rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigl => T.
  rewrite inE; have [/eqP cT|] //= := boolP (#|T| == k).
  have [/eqP rT|] //= := boolP (residue T == r); last by rewrite andbF.
  have [<-|ne] := eqVneq S T; first by rewrite setDv cards0.
  have := residue_sep (etrans cS (esym cT)) (etrans rS (esym rT)) ne.
  by rewrite andbT; case: #|_| => [|[]].
have [r _ r_max] := @arg_maxnP _ (Ordinal m_gt0) xpredT (fun r => #|F r|) isT.
exists #|F r| => //; have -> : 'C(m, k) = (\sum_(r < m) #|F r|)%N.
  rewrite -[in LHS](card_ord m) -card_draws -sum1_card.
  have lt_res S : (residue S < m)%N by rewrite ltn_mod.
  rewrite (partition_big (fun S => Ordinal (lt_res S)) xpredT) //=.
  apply: eq_bigr => r' _; rewrite -sum1_card; apply: eq_bigl => S.
  by rewrite !inE -val_eqE.
rewrite -[m in (m * _)%N]card_ord -sum_nat_const; apply: leq_sum => i _.
exact: r_max.
Qed.

Theorem free_layer_bound k : (1 < k <= m)%N ->
  'C(m, k)%:R <= (m * (D + self))%:R * layer_den hn m k (fun s => s != 1%N).
Proof.
move=> k_in; have [N C_le N_le] := free_residue_bound k_in.
apply: (@le_trans _ _ (m * N)%N%:R); first by rewrite ler_nat.
by rewrite !natrM -mulrA ler_wpmul2l ?ler0n.
Qed.

(* L3 at tolerance below 1/2: no step is lost. *)
Theorem free_layer_bound_small k : 2%:R * tau < 1 -> (0 < k <= m)%N ->
  'C(m, k)%:R <= (D + self)%:R * layer_den hn m k xpredT.
Proof.
move=> tau2_lt1 /andP[k_gt0 k_le]; pose F := [set S : token m | #|S| == k].
have lt_s s : (0 < s)%N -> 2%:R * tau < s%:R.
  by move=> s_gt0; apply: lt_le_trans tau2_lt1 _; rewrite ler1n.
have card_F S : S \in F -> #|S| = k by rewrite inE => /eqP.
have bound : #|F|%:R ^+ 2 <= (D + self)%:R *
    \sum_(S in F) \sum_(T in F) hn #|S :\: T| ^+ 2.
  apply: (free_sets_bound (lt_s k k_gt0) card_F) => S T SF TF ne.
  rewrite lt_s // lt0n cards_eq0 setD_eq0; apply: contra_neqN ne.
  by move=> /subset_leqif_cards[_]; rewrite !card_F // eqxx => /esym/eqP.
move: bound; rewrite card_draws card_ord => bound.
apply: ler_pmul2l_sqr; first by rewrite ltr0n bin_gt0.
apply: le_trans bound _; rewrite -mulrA ler_wpmul2l ?ler0n //.
rewrite (eq_bigr (fun _ => layer_den hn m k xpredT)) => [|S SF].
  by rewrite sumr_const card_draws card_ord -[_ *+ _]mulr_natr.
rewrite (layer_denE hn xpredT (card_F _ SF)).
by apply: eq_bigl => T; rewrite inE andbT.
Qed.

End Free.
