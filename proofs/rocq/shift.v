(******************************************************************************)
(* L1+: the layer bound with a polynomial subtracted.                         *)
(*   newton c s      == the polynomial sum of c_i C(s,i), by its coefficients *)
(*   shift_cost m c  == C(m,j), j the degree; 0 when there is no coefficient  *)
(*   newton_features : on the k-sets S the matrix newton c |S :\: T| has rank *)
(*                     at most shift_cost m c                                 *)
(*   shifted f c s   == the bound of the entry s after newton c is subtracted *)
(*   shifted_layer_bound, shifted_free_residue_bound, and                     *)
(*   shifted_free_layer_bound_small : L1, L2 and L3 with a shift              *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra.
From KattnBounds Require Import linalg defs rates decay family layer weighted decaying.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Subsets.
Variable T : finType.
Implicit Types S U W : {set T}.

(* The sets of size j between U and S. *)
Lemma card_between U S j : U \subset S -> (#|U| <= j)%N ->
  #|[set W : {set T} | [&& U \subset W, W \subset S & #|W| == j]]| =
  'C(#|S| - #|U|, j - #|U|).
Proof.
move=> US U_le; rewrite -(cardsDS US) -cards_draws.
rewrite -[RHS](card_in_imset (f := setU U)) => [|V W]; last first.
  rewrite !inE !subsetD => /andP[/andP[_ VU] _] /andP[/andP[_ WU] _].
  move/(congr1 (fun A : {set T} => A :\: U)).
  by rewrite !setDUl setDv !set0U (setDidPl VU) (setDidPl WU).
apply: eq_card => W; rewrite inE; apply/and3P/imsetP => [[UW WS /eqP cW]|[V]].
  exists (W :\: U); first by rewrite inE setSD //= cardsDS // cW.
  by rewrite -{1}(setIidPr UW) setID.
rewrite inE subsetD => /andP[/andP[VS dis] /eqP cV] ->.
rewrite subsetUl subUset US VS cardsU (disjoint_setI0 _) ?cards0 ?subn0 ?cV ?subnKC //.
by rewrite disjoint_sym.
Qed.

(* Counting the pairs U, W with U inside W :&: A and W inside S. *)
Lemma sum_bin_subsets S (A : {set T}) i j : (i <= j)%N ->
  (\sum_(W : {set T} | (W \subset S) && (#|W| == j)) 'C(#|W :&: A|, i))%N =
  ('C(#|S :&: A|, i) * 'C(#|S| - i, j - i))%N.
Proof.
move=> i_le.
under eq_bigr => W _ do rewrite -cards_draws -sum1_card.
rewrite (exchange_big_dep (mem [set U : {set T} | U \subset S :&: A & #|U| == i])) /=.
  rewrite -cards_draws -sum_nat_const; apply: eq_bigr => U.
  rewrite inE subsetI => /andP[/andP[US UA] /eqP cU].
  rewrite -{2 3}cU -card_between ?cU // -sum1_card; apply: eq_bigl => W.
  by rewrite !inE subsetI UA cU eqxx !andbT andbC.
move=> W U /andP[WS _]; rewrite !inE !subsetI => /andP[/andP[UW ->] ->].
by rewrite (subset_trans UW).
Qed.

End Subsets.

Section Newton.
Variables (R : realFieldType) (m : nat).
Implicit Types (c : seq R) (q a : token m).

Definition newton c s : R := \sum_(i < size c) c`_i * 'C(s, i)%:R.

Definition shift_cost (len : nat) : nat := if len is j.+1 then 'C(m, j) else 0.

Lemma newton0 c : newton c 0 = c`_0.
Proof.
case: c => [|x c]; first by rewrite /newton big_ord0.
rewrite /newton big_ord_recl bin0 mulr1 big1 ?addr0 // => i _.
by rewrite bin0n mulr0.
Qed.

Lemma newton_features c k : (size c <= k.+1)%N ->
  exists2 B : kernel R m, has_features (shift_cost (size c)) B &
    forall q a, #|q| = k -> B q a = newton c (dot q a).
Proof.
case def_c: (size c) => [|j] j_le.
  exists (fun _ _ => 0); last by move=> q a _; rewrite /newton def_c big_ord0.
  by exists (fun _ => 0), (fun _ => 0) => q a; rewrite mul0mx mxE.
pose F := [set W : token m | #|W| == j].
pose psi a (W : token m) : R := \sum_(i < j.+1) c`_i / 'C(k - i, j - i)%:R * 'C(dot W a, i)%:R.
exists (fun q a => \sum_(W in F) (W \subset q)%:R * psi a W).
  have -> : shift_cost j.+1 = #|F| by rewrite card_draws card_ord.
  pose W (i : 'I_#|F|) : token m := enum_val i.
  exists (fun q => \row_i (W i \subset q)%:R), (fun a => \row_i psi a (W i)) => q a.
  by rewrite mxE big_enum_val; apply: eq_bigr => i _; rewrite !mxE.
move=> q a cq; rewrite /newton def_c.
transitivity (\sum_(W : token m | (W \subset q) && (#|W| == j)) psi a W).
  rewrite [RHS]big_mkcond [LHS]big_mkcond; apply: eq_bigr => W _; rewrite inE andbC.
  by case: (#|W| == j); case: (W \subset q); rewrite ?mul1r ?mul0r.
rewrite exchange_big; apply: eq_bigr => i _ /=; have i_le : (i <= j)%N by rewrite -ltnS.
rewrite -mulr_sumr -natr_sum sum_bin_subsets // cq natrM mulrA mulrAC divfK //.
by rewrite pnatr_eq0 -lt0n bin_gt0 leq_sub2r.
Qed.

End Newton.

Lemma residue_gt1 m (S T : token m) :
  #|S| = #|T| -> residue S = residue T -> S != T -> (1 < #|S :\: T|)%N.
Proof. by apply: (@residue_sep _ m 2 (2%:R^-1 : rat)). Qed.

(* Some sum of elements mod m is that of at least C(m,k)/m of the k-sets. *)
Lemma residue_class m k : (0 < m)%N ->
  exists r, ('C(m, k) <= m * #|[set S : token m | (#|S| == k) && (residue S == r)]|)%N.
Proof.
move=> m_gt0; pose F (r : nat) := [set S : token m | (#|S| == k) && (residue S == r)].
have [r _ r_max] := @arg_maxnP _ (Ordinal m_gt0) xpredT (fun r => #|F r|) isT.
exists (r : nat); have lt_res (S : token m) : (residue S < m)%N by rewrite ltn_mod.
rewrite -{1 2}(card_ord m) -card_draws -sum1_card -sum_nat_const.
rewrite (partition_big (fun S => Ordinal (lt_res S)) xpredT) //=.
apply: leq_sum => i _; apply: leq_trans (r_max i isT); rewrite -sum1_card.
by apply/eq_leq/eq_bigl => S; rewrite !inE -val_eqE.
Qed.

Section Layer.
Variables (R : realFieldType) (m D k : nat) (known : pred nat) (f : nat -> R) (c : seq R).
Variable K : kernel R m.
Hypothesis K_ge0 : forall q a, 0 <= K q a.
Hypothesis decay : forall (q a b : token m) s, (0 < s)%N -> known s ->
  dot q b = (dot q a + s)%N -> K q b < f s * K q a.
Hypothesis featK : has_features D K.
Hypotheses (k_gt0 : (0 < k)%N) (known_k : known k) (size_c : (size c <= k.+1)%N).

Definition shifted (s : nat) : R :=
  if s == 0%N then 1 - newton c 0 else shift_max (f s) (newton c s).

Let r := shift_cost m (size c).

Section Family.
Variable F : {set token m}.
Hypothesis card_F : forall S, S \in F -> #|S| = k.
Hypothesis sep_F : {in F &, forall S T, S != T -> known #|S :\: T|}.

Lemma card_setD_gt0 S T : S \in F -> T \in F -> S != T -> (0 < #|S :\: T|)%N.
Proof.
move=> SF TF ne; rewrite lt0n cards_eq0 setD_eq0; apply: contra_neqN ne.
by move=> /subset_leqif_cards[_]; rewrite !card_F // eqxx => /esym/eqP.
Qed.

Lemma shifted_family :
  (#|F|%:R * (1 - newton c 0)) ^+ 2 <=
  (D + r)%:R * \sum_(S in F) \sum_(T in F) shifted #|S :\: T| ^+ 2.
Proof.
have [B featB eqB] := newton_features m size_c.
pose q (i : 'I_#|F|) : token m := enum_val i; pose a i := ~: q i.
have qF i : q i \in F by apply: enum_valP.
have dot_qa i j : dot (q i) (a j) = #|q i :\: q j| by apply: dot_setC.
have B_qa i j : B (q i) (a j) = newton c #|q i :\: q j|.
  by rewrite (eqB _ _ (card_F (qF i))) dot_qa.
have K_gt0 i : 0 < K (q i) (a i).
  have := decay (q := q i) (a := a i) (b := q i) k_gt0 known_k.
  rewrite dotxx dot_qa setDv cards0 card_F // => /(_ erefl) lt_k.
  rewrite lt_neqAle K_ge0 andbT; apply/eqP => K0.
  by move: lt_k; rewrite -K0 mulr0 ltNge K_ge0.
have ratio i j : i != j -> K (q i) (a j) < f #|q i :\: q j| * K (q i) (a i).
  move=> ne; have ne_q : q i != q j by rewrite (inj_eq enum_val_inj).
  apply: decay; [exact: card_setD_gt0 | exact: sep_F |].
  by rewrite !dot_qa setDv cards0.
have := shifted_trace (x := fun _ => 1) (y := fun _ => 1) K_ge0 (fun i _ => K_gt0 i) featK
  (fun i j ne _ => ratio i j ne) (features_rank q a featB).
rewrite (eq_bigr (fun _ => 1 - newton c 0)) => [|i _]; last first.
  by rewrite !mul1r B_qa setDv cards0.
rewrite sumr_const card_ord -[_ *+ _]mulr_natl => /le_trans; apply.
apply: ler_wpmul2l; first exact: ler0n.
rewrite [X in _ <= X]big_enum_val; apply: ler_sum => i _.
rewrite [X in _ <= X]big_enum_val; apply: ler_sum => j _.
rewrite !mul1r !B_qa setDv cards0 /shifted -/(q i) -/(q j).
have [<-|ne] := eqVneq i j; first by rewrite setDv cards0.
by rewrite gtn_eqF // card_setD_gt0 // (inj_eq enum_val_inj).
Qed.

Lemma shifted_family_le (den : R) : 0 <= den ->
    (forall S, S \in F -> \sum_(T in F) shifted #|S :\: T| ^+ 2 <= den) ->
  #|F|%:R * (1 - newton c 0) ^+ 2 <= (D + r)%:R * den.
Proof.
move=> den_ge0 den_S; have [->|F_gt0] := posnP #|F|.
  by rewrite mul0r mulr_ge0 ?ler0n.
rewrite -(ler_pmul2l (_ : 0 < #|F|%:R)) ?ltr0n // mulrA -expr2 -exprMn.
apply: le_trans shifted_family _; rewrite mulrCA ler_wpmul2l ?ler0n // mulr_natl.
by rewrite -sumr_const ler_sum.
Qed.

End Family.

Theorem shifted_layer : (k <= m)%N -> (forall s, (0 < s <= k)%N -> known s) ->
  'C(m, k)%:R * (1 - newton c 0) ^+ 2 <= (D + r)%:R * layer_den shifted m k xpredT.
Proof.
move=> k_le known_le; pose F := [set S : token m | #|S| == k].
have card_F S : S \in F -> #|S| = k by rewrite inE => /eqP.
have -> : 'C(m, k) = #|F| by rewrite card_draws card_ord.
apply: shifted_family_le => // [S T SF TF ne||S SF].
- by rewrite known_le // (card_setD_gt0 card_F) //= -(card_F S) // subset_leq_card ?subsetDl.
- exact: layer_den_ge0.
rewrite (layer_denE shifted xpredT (card_F S SF)) le_eqVlt; apply/orP; left; apply/eqP.
by apply: eq_bigl => T; rewrite inE andbT.
Qed.

Theorem shifted_residue : (k <= m)%N -> (forall s, (1 < s <= k)%N -> known s) ->
  exists2 N, ('C(m, k) <= m * N)%N &
  N%:R * (1 - newton c 0) ^+ 2 <= (D + r)%:R * layer_den shifted m k (fun s => s != 1%N).
Proof.
move=> k_le known_le; have [rho C_le] := residue_class k (leq_trans k_gt0 k_le).
pose F := [set S : token m | (#|S| == k) && (residue S == rho)].
have card_F S : S \in F -> #|S| = k by rewrite inE => /andP[/eqP].
have far S T : S \in F -> T \in F -> S != T -> (1 < #|S :\: T|)%N.
  move=> SF TF; apply: residue_gt1; first by rewrite !card_F.
  by move: SF TF; rewrite !inE => /andP[_ /eqP->] /andP[_ /eqP->].
exists #|F| => //; apply: shifted_family_le => // [S T SF TF ne||S SF].
- by rewrite known_le // far //= -(card_F S) // subset_leq_card ?subsetDl.
- exact: layer_den_ge0.
rewrite (layer_denE shifted _ (card_F S SF)) big_mkcond [X in _ <= X]big_mkcond.
apply: ler_sum => T _; have [TF|] := boolP (T \in F); last by case: ifP; rewrite ?sqr_ge0.
rewrite (card_F T TF) eqxx /=; have [->|ne] := eqVneq S T; first by rewrite setDv cards0.
by rewrite gtn_eqF // far.
Qed.

End Layer.

Section Solves.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K V : pkernel R m n.+1) (D k : nat) (c : seq R).
Hypotheses (n_gt1 : (1 < n)%N) (tau_gt0 : 0 < tau).
Hypothesis K_ge0 : nonneg K.
Hypothesis featK : has_pfeatures D K.
Hypothesis size_c : (size c <= k.+1)%N.

Let decaying_known T (A : kernel R m) D' : decaying T n.+1 D' A ->
  forall (q a b : token m) s, (0 < s)%N -> T < s%:R ->
  dot q b = (dot q a + s)%N -> A q b < h n.+1 T s * A q a.
Proof. by case=> _ _ decay q a b s _ T_lt eq_s; apply: decay. Qed.

(* L1+, L2: the layer bound after a polynomial of degree j = size c - 1 in    *)
(* #|S :\: T| is subtracted from the matrix; rank at most D + C(m, j).        *)
Theorem shifted_layer_bound :
    tau < 1 -> solves causal self tau K inner -> (0 < k <= m)%N ->
  'C(m, k)%:R * (1 - newton c 0) ^+ 2 <=
  (D + shift_cost m (size c))%:R * layer_den (shifted (h n.+1 tau) c) m k xpredT.
Proof.
move=> tau_lt1 solK /andP[k_gt0 k_le].
have dec := inner_decaying n_gt1 tau_gt0 (ltW tau_lt1) K_ge0 solK featK.
have known s : (0 < s)%N -> tau < s%:R.
  by move=> s_gt0; apply: lt_le_trans tau_lt1 _; rewrite ler1n.
have [A_ge0 featA _] := dec.
apply: (shifted_layer A_ge0 (decaying_known dec)) => // [|s /andP[s_gt0 _]]; exact: known.
Qed.

(* L3 with a shift. *)
Hypothesis solK : solves causal self tau K V.

Let dec := free_decaying n_gt1 tau_gt0 K_ge0 solK featK.

Theorem shifted_free_residue_bound : tau < 1 -> (1 < k <= m)%N ->
  exists2 N, ('C(m, k) <= m * N)%N &
  N%:R * (1 - newton c 0) ^+ 2 <= (D + self + shift_cost m (size c))%:R *
    layer_den (shifted (h n.+1 (2%:R * tau)) c) m k (fun s => s != 1%N).
Proof.
move=> tau_lt1 /andP[k_gt1 k_le]; have [A_ge0 featA _] := dec.
have known s : (1 < s)%N -> 2%:R * tau < s%:R.
  move=> s_gt1; apply: (@lt_le_trans _ _ 2%:R); last by rewrite ler_nat.
  by rewrite -[X in _ < X]mulr1 ltr_pmul2l ?ltr0n.
apply: (shifted_residue A_ge0 (decaying_known dec)) => // [||s /andP[s_gt1 _]].
- exact: ltnW.
- exact: known.
- exact: known.
Qed.

Theorem shifted_free_layer_bound_small : 2%:R * tau < 1 -> (0 < k <= m)%N ->
  'C(m, k)%:R * (1 - newton c 0) ^+ 2 <= (D + self + shift_cost m (size c))%:R *
    layer_den (shifted (h n.+1 (2%:R * tau)) c) m k xpredT.
Proof.
move=> tau2_lt1 /andP[k_gt0 k_le]; have [A_ge0 featA _] := dec.
have known s : (0 < s)%N -> 2%:R * tau < s%:R.
  by move=> s_gt0; apply: lt_le_trans tau2_lt1 _; rewrite ler1n.
apply: (shifted_layer A_ge0 (decaying_known dec)) => // [|s /andP[s_gt0 _]]; exact: known.
Qed.

End Solves.
