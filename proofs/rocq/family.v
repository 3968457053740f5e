(******************************************************************************)
(* From decay to a number of features.                                        *)
(* A non-negative kernel that decays at the rate f, and pairs (q_i, a_i), i < *)
(* N, whose gaps t(q_i,a_j) - t(q_i,a_i) are larger than tau for j != i.      *)
(*   trace_bound     : N^2 <= D * sum of f(gap)^2 over all pairs i, j         *)
(*   dominance_bound : N <= D when sum of f(gap) over j != i is at most 1     *)
(*   set_family_bound: the pairs (S, complement of S), S in a family of       *)
(*                     k-subsets; the gaps are #|S :\: T|                     *)
(*   layer_sum       : the sum over the k-subsets T, by #|S :\: T|            *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import linalg defs rates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Family.
Variables (R : realFieldType) (m D : nat) (tau : R) (f : nat -> R).
Variable K : kernel R m.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis K_ge0 : forall q a, 0 <= K q a.
Hypothesis f0 : f 0%N = 1.
Hypothesis decay : forall (q a b : token m) s,
  dot q b = (dot q a + s)%N -> tau < s%:R -> K q b < f s * K q a.
Hypothesis featK : has_features D K.

(* A row of K is positive wherever a larger inner product is possible. *)
Lemma decay_gt0 (q a : token m) : tau < (#|q| - dot q a)%N%:R ->
  0 < f (#|q| - dot q a)%N -> 0 < K q a.
Proof.
move=> far f_gt0; rewrite -(pmulr_rgt0 _ f_gt0).
by apply: le_lt_trans (K_ge0 q q) (decay _ far); rewrite dotxx subnKC ?dot_le.
Qed.

Section Pairs.
Variables (N : nat) (q a : 'I_N -> token m).

Definition gap i j : nat := (dot (q i) (a j) - dot (q i) (a i))%N.

Hypothesis K_gt0 : forall i, 0 < K (q i) (a i).
Hypothesis gap_gt : forall i j, i != j -> tau < (gap i j)%:R.

Let A : 'M[R]_N := \matrix_(i, j) (K (q i) (a j) / K (q i) (a i)).

Let rank_A : (\rank A <= D)%N.
Proof.
have [phi [psi Kpp]] := featK.
have feat : has_features D (fun p b : token m => (phi p *m (psi b)^T) 0 0).
  by exists phi, psi.
have -> : A = diag_mx (\row_i (K (q i) (a i))^-1) *m \matrix_(i, j) K (q i) (a j).
  by apply/matrixP => i j; rewrite mul_diag_mx !mxE mulrC.
exact: leq_trans (mxrankM_maxr _ _) (features_rank q a featK).
Qed.

Let A_diag i : A i i = 1.
Proof. by rewrite mxE divff ?gt_eqF. Qed.

Let A_ge0 i j : 0 <= A i j.
Proof. by rewrite mxE divr_ge0. Qed.

Let gapE i j : i != j -> dot (q i) (a j) = (dot (q i) (a i) + gap i j)%N.
Proof.
move=> /gap_gt/(part_gt0 tau_gt0); rewrite /gap => gap_gt0.
by rewrite subnKC // ltnW // -subn_gt0.
Qed.

Let A_lt i j : i != j -> A i j < f (gap i j).
Proof.
by move=> ne; rewrite mxE ltr_pdivr_mulr // decay ?gap_gt // -gapE.
Qed.

Theorem trace_bound :
  N%:R ^+ 2 <= D%:R * \sum_i \sum_j f (gap i j) ^+ 2.
Proof.
have tr_A : \tr A = N%:R.
  by rewrite /mxtrace (eq_bigr _ (fun i _ => A_diag i)) sumr_const card_ord.
have := rank_trace A; rewrite tr_A => /le_trans; apply.
rewrite ler_pmul ?ler0n ?sqnorm_ge0 ?ler_nat //.
apply: ler_sum => i _; apply: ler_sum => j _.
have [<-|ne] := eqVneq i j; first by rewrite A_diag /gap subnn f0.
by rewrite ler_expn2r ?nnegrE ?A_ge0 ?(le_trans (A_ge0 i j)) ?ltW ?A_lt.
Qed.

(* L5: strict diagonal dominance. *)
Theorem dominance_bound :
  (forall i, \sum_(j | j != i) f (gap i j) <= 1) -> (N <= D)%N.
Proof.
move=> dom; rewrite -(@dominant_full_rank _ _ A) // => i.
rewrite A_diag normr1; have [/existsP[j0 j0_neq]|none] := boolP [exists j, j != i].
  apply: lt_le_trans (dom i); rewrite -subr_gt0 -sumrB.
  apply: (@sumr_gt0 _ _ (fun j => j != i) _ j0) => // j j_neq.
  by rewrite subr_gt0 ger0_norm // A_lt // eq_sym.
rewrite big_pred0 // => j; apply: contraNF none => j_neq.
by apply/existsP; exists j.
Qed.

End Pairs.

(* Families of k-subsets S, each with its complement. *)
Section Sets.
Variables (k : nat) (F : {set token m}).
Hypothesis card_F : forall S, S \in F -> #|S| = k.
Hypothesis k_gt : tau < k%:R.
Hypothesis f_k : 0 < f k.
Hypothesis sep_F : {in F &, forall S T, S != T -> tau < #|S :\: T|%:R}.

Lemma dot_setC (S T : token m) : dot S (~: T) = #|S :\: T|.
Proof. by rewrite /dot setDE. Qed.

Let q (i : 'I_#|F|) : token m := enum_val i.
Let a (i : 'I_#|F|) : token m := ~: enum_val i.

Let gap_sets i j : gap q a i j = #|q i :\: q j|.
Proof. by rewrite /gap !dot_setC setDv cards0 subn0. Qed.

Theorem set_family_bound :
  #|F|%:R ^+ 2 <= D%:R * \sum_(S in F) \sum_(T in F) f #|S :\: T| ^+ 2.
Proof.
have K_gt0 i : 0 < K (q i) (a i).
  apply: decay_gt0; rewrite dot_setC setDv cards0 subn0 card_F //; exact: enum_valP.
have gap_gt i j : i != j -> tau < (gap q a i j)%:R.
  by move=> ne; rewrite gap_sets sep_F ?enum_valP // (inj_eq enum_val_inj).
have -> : \sum_(S in F) \sum_(T in F) f #|S :\: T| ^+ 2 =
          \sum_i \sum_j f (gap q a i j) ^+ 2.
  rewrite big_enum_val; apply: eq_bigr => i _.
  by rewrite big_enum_val; apply: eq_bigr => j _; rewrite gap_sets.
exact: trace_bound K_gt0 gap_gt.
Qed.

End Sets.
End Family.

(* Counting k-subsets T by the size of S :\: T. *)
Section Count.
Variables (m : nat) (S : {set 'I_m}).

Lemma card_split i j :
  #|[set T : {set 'I_m} | (#|T :&: S| == i) && (#|T :\: S| == j)]| =
  ('C(#|S|, i) * 'C(m - #|S|, j))%N.
Proof.
have -> : (m - #|S|)%N = #|~: S| by rewrite [in RHS]cardsCs setCK card_ord.
rewrite -!cards_draws -cardsX.
pose F (AB : {set 'I_m} * {set 'I_m}) := AB.1 :|: AB.2.
have sub_I (A B : {set 'I_m}) : A \subset S -> B \subset ~: S ->
    (A :|: B) :&: S = A /\ (A :|: B) :\: S = B.
  move=> /setIidPl AS BS; rewrite setIUl setDUl AS !setDE (setIidPl BS).
  move: BS; rewrite -disjoints_subset => /disjoint_setI0->.
  by rewrite setU0 -AS -setIA setICr setI0 set0U.
rewrite -(card_in_imset (f := F)); last first.
  move=> [A B] [A' B'] /=; rewrite !inE /=.
  move=> /andP[/andP[AS _] /andP[BS _]] /andP[/andP[AS' _] /andP[BS' _]] eqF.
  have [] := sub_I _ _ AS BS; have [] := sub_I _ _ AS' BS'.
  by rewrite /F /= in eqF; rewrite eqF => -> -> -> ->.
apply: eq_card => T; rewrite inE; apply/andP/imsetP => [[Ti Tj]|].
  exists (T :&: S, T :\: S); last by rewrite /F /= setID.
  by rewrite !inE /= Ti Tj subsetIr !andbT /= setDE subsetIr.
case=> -[A B]; rewrite !inE /= => /andP[/andP[AS Ai] /andP[BS Bj]] ->.
by have [-> ->] := sub_I _ _ AS BS.
Qed.

Lemma card_diff s : (s <= #|S|)%N ->
  #|[set T : {set 'I_m} | (#|T| == #|S|) && (#|S :\: T| == s)]| =
  ('C(#|S|, s) * 'C(m - #|S|, s))%N.
Proof.
move=> s_le; rewrite -(bin_sub s_le) -card_split; apply: eq_card => T.
rewrite !inE; have := cardsID S T; have := cardsID T S; rewrite (setIC S T).
by move=> ? ?; apply/andP/andP => -[/eqP ? /eqP ?]; split; apply/eqP; lia.
Qed.

Lemma layer_sum (R : ringType) (f : nat -> R) (P : pred nat) :
  \sum_(T : {set 'I_m} | (#|T| == #|S|) && P #|S :\: T|) f #|S :\: T| =
  \sum_(s < #|S|.+1 | P s) f s *+ ('C(#|S|, s) * 'C(m - #|S|, s)).
Proof.
have lt_T (T : {set 'I_m}) : (#|S :\: T| < #|S|.+1)%N.
  by rewrite ltnS subset_leq_card ?subsetDl.
rewrite (partition_big (fun T => Ordinal (lt_T T)) (fun s => P s)) => [|T /andP[]//].
apply: eq_bigr => s Ps; rewrite -card_diff -1?ltnS // -sumr_const.
apply: eq_big => [T|T /andP[_ /eqP <-] //].
rewrite !inE -andbA; congr andb; rewrite -val_eqE /=.
by apply/andP/idP => [[]|/eqP e] //; rewrite e.
Qed.

End Count.
