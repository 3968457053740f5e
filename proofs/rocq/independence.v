(******************************************************************************)
(* Rows that are independent in every solving kernel.                         *)
(*   independent_rows : rows with no linear relation need as many features    *)
(*   sign_independence: L8; one vector per sign pattern suffices              *)
(*   disjoint_queries : disjoint queries q_i with h(|q_i|) <= 1               *)
(*   singletons_bound : L7, D >= m when tau <= (n - 2) (1 - tau)              *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import defs rates decay.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Rows.
Variables (R : realFieldType) (m D N : nat) (K : kernel R m).
Variable q : 'I_N -> token m.
Hypothesis featK : has_features D K.

Lemma independent_rows :
    (forall c : 'I_N -> R, (forall a, \sum_i c i * K (q i) a = 0) -> forall i, c i = 0) ->
  (N <= D)%N.
Proof.
move=> indep; pose M := \matrix_(i < N, j < #|{set 'I_m}|) K (q i) (enum_val j).
apply: leq_trans (_ : \rank M <= D)%N; last exact: features_rank featK.
suff /eqP-> : row_free M by [].
apply: inj_row_free => v vM; apply/rowP => i; rewrite mxE.
apply: (indep (fun i => v 0 i)) => a.
have /(congr1 (fun B : 'rV_ _ => B 0 (enum_rank a))) := vM; rewrite !mxE => vMa.
by rewrite -[RHS]vMa; apply: eq_bigr => j _; rewrite mxE enum_rankK.
Qed.

(* L8.  For every choice of signs s there is a vector v on the tokens on      *)
(* which every row with its sign is positive.                                 *)
Theorem sign_independence :
    (forall s : {ffun 'I_N -> bool}, exists v : token m -> R,
       forall i, 0 < (-1) ^+ s i * \sum_a K (q i) a * v a) ->
  (N <= D)%N.
Proof.
move=> signs; apply: independent_rows => c c0 i.
have [v v_gt0] := signs [ffun i => c i < 0].
pose w j : R := \sum_a K (q j) a * v a.
have w_gt0 j : 0 < (-1) ^+ (c j < 0)%R * w j by have := v_gt0 j; rewrite ffunE.
have sum0 : \sum_j `|c j| * ((-1) ^+ (c j < 0)%R * w j) = 0.
  have pos j : `|c j| * ((-1) ^+ (c j < 0)%R * w j) = c j * w j.
    by rewrite mulrA [`|_| * _]mulrC -numEsign.
  under eq_bigr => j _ do rewrite pos /w mulr_sumr.
  rewrite exchange_big /= big1 // => a _.
  by under eq_bigr => j _ do rewrite mulrA; rewrite -mulr_suml c0 mul0r.
have := sum0; move/eqP; rewrite psumr_eq0 => [/allP/(_ i (mem_index_enum i))|j _]; last first.
  by rewrite mulr_ge0 // ltW.
by rewrite mulf_eq0 (gt_eqF (w_gt0 i)) orbF normr_eq0 => /eqP.
Qed.

End Rows.

Section Disjoint.
Variables (R : realFieldType) (m D N : nat) (tau : R) (f : nat -> R).
Variables (K : kernel R m) (q : 'I_N -> token m).
Hypothesis K_ge0 : forall p a, 0 <= K p a.
Hypothesis decay : forall (p a b : token m) s,
  dot p b = (dot p a + s)%N -> tau < s%:R -> K p b < f s * K p a.
Hypothesis featK : has_features D K.
Hypothesis q_disjoint : forall i j, i != j -> [disjoint q i & q j].
Hypothesis q_large : forall i, tau < #|q i|%:R.
Hypothesis f_le1 : forall i, f #|q i| <= 1.

Theorem disjoint_queries : (N <= D)%N.
Proof.
apply: (independent_rows (q := q) featK) => c c0 i.
pose U (P : pred 'I_N) : token m := \bigcup_(j | P j) q j.
have dot_in (P : pred 'I_N) j : P j -> dot (q j) (U P) = #|q j|.
  by move=> Pj; rewrite /dot (setIidPl _) // bigcup_sup.
have dot_out (P : pred 'I_N) j : ~~ P j -> dot (q j) (U P) = 0%N.
  move=> nPj; apply/eqP; rewrite cards_eq0 setI_eq0.
  apply: bigcup_disjoint => k Pk; apply: q_disjoint.
  by apply: contraNneq nPj => ->.
have lt_UP (P Q : pred 'I_N) j : P j -> ~~ Q j -> K (q j) (U P) < K (q j) (U Q).
  move=> Pj nQj; apply: lt_le_trans (decay (a := U Q) _ (q_large j)) _.
    by rewrite dot_in // dot_out.
  by rewrite ler_pimull.
pose a := U (fun j => c j < 0); pose b := U (fun j => 0 < c j).
have term_gt0 j : c j != 0 -> 0 < c j * (K (q j) a - K (q j) b).
  have [c_lt0|c_gt0|->] := ltgtP (c j) 0; last by [].
    move=> _; rewrite nmulr_rgt0 // subr_lt0; apply: lt_UP => //.
    by rewrite -leNgt ltW.
  move=> _; rewrite pmulr_rgt0 // subr_gt0; apply: lt_UP => //.
  by rewrite -leNgt ltW.
have : \sum_j c j * (K (q j) a - K (q j) b) = 0.
  under eq_bigr => j _ do rewrite mulrBr.
  by rewrite sumrB !c0 subrr.
have term_ge0 j : 0 <= c j * (K (q j) a - K (q j) b).
  by have [->|/term_gt0/ltW//] := eqVneq (c j) 0; rewrite mul0r.
move/eqP; rewrite psumr_eq0 // => /allP/(_ i (mem_index_enum i)) /implyP/(_ isT).
by apply: contraTeq => /term_gt0/gt_eqF->.
Qed.

End Disjoint.

(* L7. *)
Theorem singletons_bound (R : realFieldType) m n causal self (tau : R)
    (K : pkernel R m n.+1) D :
    (1 < n)%N -> 0 < tau -> tau < 1 -> tau <= (n.+1 - 2)%N%:R * (1 - tau) ->
    nonneg K -> solves causal self tau K inner -> has_pfeatures D K ->
  (m <= D)%N.
Proof.
move=> n_gt1 tau_gt0 tau_lt1 g1_le1 K_ge0 solK featK.
apply: (@disjoint_queries _ _ _ _ tau (h n.+1 tau) (kbar K) (fun i => [set i])).
- exact: kbar_ge0.
- exact: inner_decay.
- exact: kbar_features.
- by move=> i j ne; rewrite disjoints1 inE.
- by move=> i; rewrite cards1.
move=> i; rewrite cards1; apply: le_trans (hmin_le_step _ tau_gt0 _) _ => //.
by rewrite /g ler_pdivr_mulr ?mul1r // mulr_gt0 ?subr_gt0 // ltr0n; lia.
Qed.
