(******************************************************************************)
(* Kernel certificates by features on subsets.  A token of m + e coordinates  *)
(* is a core of m coordinates and e free ones; its class is its free part and *)
(* the size of its core.  A family of degree d has a feature for each d-set T *)
(* of core coordinates,                                                       *)
(*   phi_T(q) = F(class of q, |T n core q|), psi_T(a) = G(class of a,         *)
(*   |T n core a|),                                                           *)
(* so that K is constant on the classes of pairs, and a kernel costs          *)
(* C(m,d) features for each of its families.                                  *)
(*   core, free_part     == the two parts of a token                          *)
(*   card_subsets        : the number of d-sets that meet q and a in s and    *)
(*                         s' points                                          *)
(*   check_classes       : the checker;  check_classes_sound : upper_bound    *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay check_base check_levels check_kernel.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Draws.
Variable I : finType.
Implicit Types (A B T : {set I}) (P Q : pred {set I}).

Lemma card_draws_split A B P Q : [disjoint A & B] ->
  #|[set T : {set I} | (T \subset A :|: B) && (P (T :&: A) && Q (T :&: B))]| =
  (#|[set T : {set I} | (T \subset A) && P T]| * #|[set T : {set I} | (T \subset B) && Q T]|)%N.
Proof.
move=> /disjoint_setI0 AB0; rewrite -cardsX.
pose F (XY : {set I} * {set I}) := XY.1 :|: XY.2.
have parts (X Y : {set I}) : X \subset A -> Y \subset B ->
    (X :|: Y) :&: A = X /\ (X :|: Y) :&: B = Y.
  move=> /setIidPl XA /setIidPl YB; rewrite !setIUl XA YB.
  have -> : Y :&: A = set0 by rewrite -YB -setIA [B :&: A]setIC AB0 setI0.
  have -> : X :&: B = set0 by rewrite -XA -setIA AB0 setI0.
  by rewrite setU0 set0U.
rewrite -(card_in_imset (f := F)) => [|[X Y] [X' Y']]; last first.
  rewrite !inE /= => /andP[/andP[XA _] /andP[YB _]] /andP[/andP[XA' _] /andP[YB' _]] eqF.
  have [] := parts _ _ XA YB; have [] := parts _ _ XA' YB'.
  by rewrite /F /= in eqF; rewrite eqF => -> -> -> ->.
apply: eq_card => T; rewrite inE; apply/and3P/imsetP => [[TAB PT QT]|].
  exists (T :&: A, T :&: B); first by rewrite !inE /= !subsetIr PT.
  by rewrite /F /= -setIUr (setIidPl TAB).
case=> -[X Y]; rewrite !inE /= => /andP[/andP[XA PX] /andP[YB QY]] ->.
by have [-> ->] := parts _ _ XA YB; rewrite /F /= setUSS.
Qed.

End Draws.

Section CountSubsets.
Variables (m : nat) (q a : token m).
Implicit Types T : token m.

Let A11 := q :&: a.
Let A10 := q :\: a.
Let A01 := a :\: q.
Let A00 := ~: (q :|: a).

Lemma card_parts i11 i10 i01 i00 :
  #|[set T : token m | [&& #|T :&: A11| == i11, #|T :&: A10| == i10, #|T :&: A01| == i01
               & #|T :&: A00| == i00]]| =
  ('C(#|A11|, i11) * ('C(#|A10|, i10) * ('C(#|A01|, i01) * 'C(#|A00|, i00))))%N.
Proof.
have d3 : [disjoint A01 & A00].
  by rewrite -setI_eq0; apply/eqP/setP => i; rewrite !inE; case: (i \in q) (i \in a) => [] [].
have d2 : [disjoint A10 & A01 :|: A00].
  by rewrite -setI_eq0; apply/eqP/setP => i; rewrite !inE; case: (i \in q) (i \in a) => [] [].
have d1 : [disjoint A11 & A10 :|: (A01 :|: A00)].
  by rewrite -setI_eq0; apply/eqP/setP => i; rewrite !inE; case: (i \in q) (i \in a) => [] [].
rewrite -!cards_draws -(card_draws_split _ _ d3) -(card_draws_split _ _ d2).
rewrite -(card_draws_split _ _ d1); apply: eq_card => T; rewrite !inE.
have -> : A11 :|: (A10 :|: (A01 :|: A00)) = setT.
  by apply/setP => i; rewrite !inE; case: (i \in q) (i \in a) => [] [].
have sub (B C : token m) : B \subset C -> T :&: C :&: B = T :&: B.
  by move=> BC; rewrite -setIA (setIidPr BC).
by rewrite subsetT !sub ?subsetUl ?subsetUr.
Qed.

Lemma card_four : [/\ #|A11| = dot q a, #|A10| = (#|q| - dot q a)%N, #|A01| = (#|a| - dot q a)%N &
                #|A00| = (m + dot q a - (#|q| + #|a|))%N].
Proof.
have := cardsID a q; have := cardsID q a; have := cardsUI q a; have := cardsC (q :|: a).
rewrite /A11 /A10 /A01 /A00 /dot (setIC a q) card_ord; split; lia.
Qed.

Lemma card_subsets d s s' :
  #|[set T : token m | [&& #|T| == d, #|T :&: q| == s & #|T :&: a| == s']]| =
  (\sum_(i < (minn s s').+1)
     if s + s' <= d + i then
       'C(dot q a, i) * ('C(#|q| - dot q a, s - i) * ('C(#|a| - dot q a, s' - i) *
       'C(m + dot q a - (#|q| + #|a|), d + i - (s + s'))))
     else 0)%N.
Proof.
have split_q T : #|T :&: q| = (#|T :&: A11| + #|T :&: A10|)%N.
  by rewrite -(cardsID a (T :&: q)) -setIA -setIDA.
have split_a T : #|T :&: a| = (#|T :&: A11| + #|T :&: A01|)%N.
  by rewrite -(cardsID q (T :&: a)) -setIA -setIDA [a :&: q]setIC.
have split_T T : #|T| = (#|T :&: q| + (#|T :&: A01| + #|T :&: A00|))%N.
  have -> : T :&: A01 = (T :\: q) :&: a by rewrite [RHS]setIDAC setIDA.
  have -> : T :&: A00 = (T :\: q) :\: a by rewrite setDDl setDE.
  by rewrite !cardsID.
have [<- <- <- <-] := card_four.
rewrite -sum1_card (partition_big (fun T => inord #|T :&: A11| : 'I_(minn s s').+1) xpredT) //=.
apply: eq_bigr => i _; have i_le := ltn_ord i; rewrite ltnS leq_min in i_le.
have inordE T : (#|T :&: q| == s) -> #|T :&: a| == s' ->
    (inord #|T :&: A11| == i) = (#|T :&: A11| == i).
  move=> /eqP eq_s /eqP eq_s'; rewrite -val_eqE /= inordK // ltnS leq_min.
  by rewrite -eq_s -eq_s' split_q split_a !leq_addr.
case: ifP => [le_d|/negbT gt_d].
  rewrite -card_parts -sum1_card; apply: eq_bigl => T; rewrite !inE.
  apply/andP/and4P => [[/and3P[/eqP dT qT aT]]|[/eqP e11 /eqP e10 /eqP e01 /eqP e00]].
    rewrite inordE // => /eqP e11; move: dT qT aT; rewrite (split_T T) (split_q T) (split_a T) e11.
    by move=> dT /eqP qT /eqP aT; split; apply/eqP; move: i_le le_d; lia.
  have [qT aT] : #|T :&: q| == s /\ #|T :&: a| == s'.
    by rewrite (split_q T) (split_a T) e11 e10 e01; split; apply/eqP; move: i_le; lia.
  rewrite inordE // qT aT e11 eqxx andbT /= andbT (split_T T) (eqP qT) e01 e00.
  by move: i_le le_d; lia.
rewrite big_pred0 // => T; rewrite !inE; apply/negbTE; apply: contra gt_d.
case/andP=> /and3P[/eqP dT qT aT]; rewrite inordE // => /eqP e11.
move: dT qT aT; rewrite (split_T T) (split_q T) (split_a T) e11 => dT /eqP qT /eqP aT.
by rewrite -dT; lia.
Qed.

End CountSubsets.

(* Sums over the d-sets, from the binomial coefficients up to m. *)
Section PairSum.
Variable m : nat.

Definition binomials : seq (seq Z) := [seq pascal i | i <- iota 0 m.+1].

Definition bin (tab : seq (seq Z)) (i j : nat) : Z := nth 0%bZ (nth [::] tab i) j.

Variables (tab : seq (seq Z)) (d k l t : nat).

Definition subset_count (s s' : nat) : Z :=
  foldr (fun i z =>
    (if (s + s' <= d + i)%N then
       bin tab t i * (bin tab (k - t)%N (s - i)%N * (bin tab (l - t)%N (s' - i)%N *
       bin tab (m + t - (k + l))%N (d + i - (s + s'))%N)) + z
     else z)%bZ) 0%bZ (iota 0 (minn s s').+1).

(* The non-zero entries of a list, with their places. *)
Definition terms (f : seq Z) : seq (nat * Z) :=
  [seq sv <- zip (iota 0 (size f)) f | ~~ (sv.2 =? 0)%bZ].

Definition pair_sum (f g : seq (nat * Z)) : Z :=
  foldr (fun sv z =>
    (sv.2 * foldr (fun sw z' => sw.2 * subset_count sv.1 sw.1 + z') 0 g + z)%bZ) 0%bZ f.

End PairSum.

Lemma binE m i j : (i <= m)%N -> bin (binomials m) i j = Z.of_nat 'C(i, j).
Proof.
by move=> i_le; rewrite /bin (nth_map 0%N) ?size_iota // nth_iota // add0n nth_pascal.
Qed.

Section PairSumE.
Variables (R : realFieldType) (m : nat) (q a : token m).

Lemma subset_countE d s s' :
  subset_count m (binomials m) d #|q| #|a| (dot q a) s s' =
  Z.of_nat #|[set T : token m | [&& #|T| == d, #|T :&: q| == s & #|T :&: a| == s']]|.
Proof.
pose F i := (if s + s' <= d + i then
  'C(dot q a, i) * ('C(#|q| - dot q a, s - i) * ('C(#|a| - dot q a, s' - i) *
  'C(m + dot q a - (#|q| + #|a|), d + i - (s + s')))) else 0)%N.
rewrite card_subsets -(big_mkord xpredT F).
rewrite /subset_count /index_iota subn0; elim: (iota _ _) => [|i r IHr]; first by rewrite big_nil.
rewrite big_cons /= IHr /F; case: ifP => // _.
have sub_le (A : token m) x : (#|A| - x <= m)%N.
  by rewrite (leq_trans (leq_subr _ _)) ?card_token_le.
have le4 : (m + dot q a - (#|q| + #|a|) <= m)%N by have := dot_le q a; lia.
by rewrite !binE ?dot_leq_m // Nat2Z.inj_add !Nat2Z.inj_mul.
Qed.

Lemma terms_nth f s :
  zr R (nth 0%bZ f s) = \sum_(sv <- terms f) zr R sv.2 * (s == sv.1)%:R.
Proof.
rewrite /terms big_filter big_mkcond /=.
under eq_bigr => sv _.
  rewrite (_ : (if _ then _ else _) = zr R sv.2 * (s == sv.1)%:R); first over.
  by case: Z.eqb_spec => //= ->; rewrite mul0r.
rewrite (big_nth (0%N, 0%bZ)) size_zip size_iota minnn big_mkord.
have nth_term i : (i < size f)%N ->
    nth (0%N, 0%bZ) (zip (iota 0 (size f)) f) i = (i, nth 0%bZ f i).
  by move=> i_lt; rewrite nth_zip ?size_iota // nth_iota.
have [s_lt|s_ge] := ltnP s (size f); last first.
  rewrite nth_default // big1 // => i _; rewrite nth_term // (_ : (s == _) = false) ?mulr0 //.
  by apply/negbTE; rewrite neq_ltn (leq_trans (ltn_ord i) s_ge) orbT.
rewrite (bigD1 (Ordinal s_lt)) //= nth_term // eqxx mulr1 big1 ?addr0 // => i.
by rewrite nth_term // -val_eqE eq_sym /= => /negbTE->; rewrite mulr0.
Qed.

Lemma pair_sumE d f g :
  zr R (pair_sum m (binomials m) d #|q| #|a| (dot q a) (terms f) (terms g)) =
  \sum_(T : token m | #|T| == d) zr R (nth 0%bZ f #|T :&: q|) * zr R (nth 0%bZ g #|T :&: a|).
Proof.
under [RHS]eq_bigr => T _.
  rewrite !terms_nth big_distrl /=; under eq_bigr => sv _ do rewrite big_distrr /=.
  over.
rewrite exchange_big /=; elim: (terms f) => [|[s v] fs IHf] /=; first by rewrite big_nil.
rewrite big_cons zrD zrM IHf; congr (_ + _); rewrite exchange_big /=.
elim: (terms g) => [|[s' w] gs IHg] /=; first by rewrite big_nil mulr0.
rewrite big_cons zrD zrM mulrDr IHg; congr (_ + _).
rewrite subset_countE zr_nat -sum1_card natr_sum !big_distrr /=.
rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => T _; rewrite inE.
case: (#|T| == d) (#|T :&: q| == s) (#|T :&: a| == s') => [] [] [];
  by rewrite /= ?mulr1 ?mulr0 ?mul0r.
Qed.

End PairSumE.

(* Tokens of m + e coordinates: their core and their free coordinates. *)
Section Parts.
Variables m e : nat.
Implicit Types q a : token (m + e).

Definition core q : token m := [set i | lshift e i \in q].
Definition free_part q : token e := [set j | rshift m j \in q].

Lemma card_core_free q : #|q| = (#|core q| + #|free_part q|)%N.
Proof.
rewrite -!sum1_card big_mkcond big_split_ord /=; congr (_ + _)%N.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => i _; rewrite inE.
by rewrite [RHS]big_mkcond; apply: eq_bigr => j _; rewrite inE.
Qed.

Lemma dot_core_free q a : dot q a = (dot (core q) (core a) + dot (free_part q) (free_part a))%N.
Proof.
have coreI : core (q :&: a) = core q :&: core a by apply/setP => i; rewrite !inE.
have freeI : free_part (q :&: a) = free_part q :&: free_part a by apply/setP => j; rewrite !inE.
by rewrite /dot card_core_free coreI freeI.
Qed.

End Parts.

Lemma sfeatures_seq (R : realFieldType) m signed (I : Type) (r : seq I) (P : pred I)
    (D : I -> nat) (K : I -> kernel R m) :
    (forall i, P i -> sfeatures signed (D i) (K i)) -> all P r ->
  sfeatures signed (\sum_(i <- r) D i)%N (fun q a => \sum_(i <- r) K i q a).
Proof.
move=> K_ok; elim: r => [_|i r IHr /= /andP[/K_ok feat_i /IHr feat_r]].
  by rewrite big_nil; apply: sfeatures_ext (sfeatures0 _ _ _ _) => q a; rewrite big_nil.
by rewrite big_cons; apply: sfeatures_ext (sfeaturesD feat_i feat_r) => q a; rewrite big_cons.
Qed.

(* F and G: for each free part, in the order of all_bits, and for each size   *)
(* k = 0..m of the core the list of F(.,0), F(.,1), ...                       *)
Record family := Family { fam_degree : nat; fam_F : seq (seq (seq Z)); fam_G : seq (seq (seq Z)) }.

Record class_cert := ClassCert {
  cc_m : nat; cc_e : nat; cc_n : Z; cc_tn : Z; cc_td : Z; cc_self : bool; cc_signed : bool;
  cc_value : Z; cc_families : seq family }.

Section Checker.
Variable c : class_cert.
Let m := cc_m c.
Let e := cc_e c.
Let fams := cc_families c.

Definition class_list (tab : seq (seq (seq Z))) (x : seq bool) (k : nat) : seq Z :=
  nth [::] (nth [::] tab (index x (all_bits e))) k.

Definition class_F (x : seq bool) (k : nat) : seq (nat * seq (nat * Z)) :=
  [seq (fam_degree f, terms (class_list (fam_F f) x k)) | f <- fams].

Definition class_G (x : seq bool) (k : nat) : seq (seq (nat * Z)) :=
  [seq terms (class_list (fam_G f) x k) | f <- fams].

Definition class_entry (tab : seq (seq Z)) (k l t : nat) (fs : seq (nat * seq (nat * Z)))
    (gs : seq (seq (nat * Z))) : Z :=
  foldr (fun fg z => (pair_sum m tab fg.1.1 k l t fg.1.2 fg.2 + z)%bZ) 0%bZ (zip fs gs).

(* A column: free part, size of the core, its lists. *)
Definition class_columns : seq (seq bool * nat * seq (seq (nat * Z))) :=
  [seq (y, l, class_G y l) | y <- all_bits e, l <- iota 0 m.+1].

Definition class_row (tab : seq (seq Z)) (cols : seq (seq bool * nat * seq (seq (nat * Z))))
    (x : seq bool) (k : nat) (fs : seq (nat * seq (nat * Z))) : seq (nat * Z) :=
  flatten [seq let d := bdot x col.1.1 in let l := col.1.2 in
               [seq ((d + t)%N, class_entry tab k l t fs col.2)
                  | t <- iota (k + l - m) ((minn k l).+1 - (k + l - m))] | col <- cols].

Definition check_class (tab : seq (seq Z)) (cols : seq (seq bool * nat * seq (seq (nat * Z))))
    (x : seq bool) (k : nat) : bool :=
  let fs := class_F x k in
  check_levels (cc_n c) (cc_tn c) (cc_td c) (cc_self c)
    (class_entry tab k k k fs (class_G x k)) (Z.of_nat (k + count id x))
    (extremes (class_row tab cols x k fs)).

Definition nonneg_table (tab : seq (seq (seq Z))) : bool := all (all (all (Z.leb 0))) tab.

Definition check_classes : bool :=
  let tab := binomials m in
  let cols := class_columns in
  [&& (0 <? cc_tn c)%bZ, (0 <? cc_td c)%bZ,
      (foldr (fun f z => nth 0 (pascal m) (fam_degree f) + z) 0 fams <=? cc_value c)%bZ,
      cc_signed c || all (fun f => nonneg_table (fam_F f) && nonneg_table (fam_G f)) fams &
      all (fun x => all (check_class tab cols x) (iota 0 m.+1)) (all_bits e)].

Section Soundness.
Variable R : realFieldType.
Hypothesis ok : check_classes.

Let entry (q a : token (m + e)) : Z :=
  class_entry (binomials m) #|core q| #|core a| (dot (core q) (core a))
    (class_F (bits (free_part q)) #|core q|) (class_G (bits (free_part a)) #|core a|).

Let phi (f : family) (T : token m) (q : token (m + e)) : R :=
  zr R (nth 0%bZ (class_list (fam_F f) (bits (free_part q)) #|core q|) #|T :&: core q|).

Let psi (f : family) (T : token m) (a : token (m + e)) : R :=
  zr R (nth 0%bZ (class_list (fam_G f) (bits (free_part a)) #|core a|) #|T :&: core a|).

Lemma class_entryE q a : zr R (entry q a) =
  \sum_(f <- fams) \sum_(T in [set T : token m | #|T| == fam_degree f]) phi f T q * psi f T a.
Proof.
rewrite /entry /class_entry /class_F /class_G; elim: fams => [|f fs IHf]; first by rewrite big_nil.
rewrite big_cons /= zrD IHf pair_sumE; congr (_ + _).
by apply: eq_bigl => T; rewrite inE.
Qed.

Let nonneg_list tab x k s : nonneg_table tab -> 0 <= zr R (nth 0%bZ (class_list tab x k) s).
Proof.
move=> /allP tab_ge0; rewrite /class_list; set i := index _ _.
have [i_lt|i_ge] := ltnP i (size tab); last by rewrite (nth_default _ i_ge) !nth_nil.
have /allP ge0_i := tab_ge0 _ (mem_nth [::] i_lt).
have [k_lt|k_ge] := ltnP k (size (nth [::] tab i)); last by rewrite (nth_default _ k_ge) nth_nil.
have /allP ge0_k := ge0_i _ (mem_nth [::] k_lt).
have [s_lt|s_ge] := ltnP s (size (nth [::] (nth [::] tab i) k)); last by rewrite nth_default.
exact/zr_ge0/ge0_k/mem_nth.
Qed.

Lemma class_features :
  sfeatures (cc_signed c) (Z.to_nat (cc_value c)) (fun q a => zr R (entry q a)).
Proof.
have /and5P[_ _ le_v nn _] := ok.
have D_le : (\sum_(f <- fams) 'C(m, fam_degree f) <= Z.to_nat (cc_value c))%N.
  have -> : (\sum_(f <- fams) 'C(m, fam_degree f))%N =
            Z.to_nat (foldr (fun f z => nth 0 (pascal m) (fam_degree f) + z)%bZ 0%bZ fams).
    apply: Nat2Z.inj; rewrite Z2Nat.id; elim: fams => [|f fs IHf]; rewrite ?big_nil ?big_cons //=.
    - by rewrite nth_pascal -IHf; lia.
    by move: IHf; rewrite nth_pascal; lia.
  by move: le_v; clear; lia.
apply: sfeatures_le D_le _; apply: sfeatures_ext => [q a|]; first exact/esym/class_entryE.
pose P f := cc_signed c || nonneg_table (fam_F f) && nonneg_table (fam_G f).
apply: (sfeatures_seq (P := P)) => [f nn_f|]; last first.
  by move: nn; rewrite /P; case: (cc_signed c); rewrite //= all_predT.
have -> : 'C(m, fam_degree f) = #|[set T : token m | #|T| == fam_degree f]|.
  by rewrite card_draws card_ord.
apply: (@sfeatures_sum R _ _ _ _ (phi f) (psi f)) => //.
move: nn_f; rewrite /P; case: (cc_signed c) => [|/andP[F_ge0 G_ge0]]; first by left.
by right; split=> *; apply: nonneg_list.
Qed.

Let entry_in q a : (dot q a, entry q a) \in
  class_row (binomials m) class_columns (bits (free_part q)) #|core q|
    (class_F (bits (free_part q)) #|core q|).
Proof.
apply/flattenP; rewrite /entry; set k := #|core q|; set l := #|core a|.
set x := bits (free_part q); set y := bits (free_part a); set t := dot (core q) (core a).
have eq_t : dot q a = (dot (free_part q) (free_part a) + t)%N by rewrite dot_core_free addnC.
eexists.
  by apply/mapP; exists (y, l, class_G y l); last by []; apply: allpairs_f;
     rewrite ?bits_in // mem_iota ltnS card_token_le.
apply/mapP; exists t; last by rewrite eq_t /= bdot_bits.
have UI : (k + l <= m + t)%N by rewrite -cardsUI leq_add2r card_token_le.
have tk : (t <= k)%N := dot_le _ _.
have tl : (t <= l)%N by rewrite /t dotC dot_le.
by rewrite /= mem_iota; apply/andP; split; move: UI tk tl; clear; lia.
Qed.

Lemma class_good n q : cc_n c = Z.of_nat n ->
  good_row (Z.of_nat n) (cc_tn c) (cc_td c) (cc_self c) q (entry q).
Proof.
move=> <-; have /and5P[_ _ _ _ /allP] := ok.
move=> /(_ _ (bits_in (free_part q)))/allP/(_ #|core q|).
rewrite mem_iota ltnS card_token_le => /(_ isT).
rewrite /check_class -(@card_tok e) ?size_bits // bitsK -card_core_free.
have -> : class_entry (binomials m) #|core q| #|core q| #|core q|
    (class_F (bits (free_part q)) #|core q|) (class_G (bits (free_part q)) #|core q|) = entry q q.
  by rewrite /entry dotxx.
by apply: check_levelsP => a; apply: extremesP.
Qed.

End Soundness.

Theorem check_classes_sound n : check_classes -> cc_n c = Z.of_nat n ->
  upper_bound (m + e) n (cc_tn c) (cc_td c) (cc_self c) (cc_signed c) (Z.to_nat (cc_value c)).
Proof.
move=> ok n_eq R causal n' def_n; rewrite def_n in n_eq.
have good := @class_good ok n'.+1.
have /and5P[tn_gt0 td_gt0 _ _ _] := ok.
eexists; split; last exact: (class_features R ok).
  by apply: rows_ge0 => q; apply: good.
by apply: rows_solve => // q; apply: good.
Qed.

End Checker.
