(******************************************************************************)
(* Kleitman's diameter theorem, by characters.                                *)
(*   symdiff A B == the symmetric difference of two sets                      *)
(*     chi A S   == (-1)^#|A :&: S|, a character of the group of all sets     *)
(*   chi_orthogonal : the characters of two sets are orthogonal               *)
(*   chi_prod       : a product of fewer than #|W| functions 2 #|S| - a is    *)
(*                    orthogonal to the character of W                        *)
(*   kleitman       : sets of an n-set at pairwise distance at most 2t < n:   *)
(*                    there are at most C(n,0) + ... + C(n,t) of them         *)
(*   kleitman_sharp : the sets of at most t elements attain the bound         *)
(* The weight w of a size changes sign so that it is negative except on as    *)
(* many sets as the bound has, and it is orthogonal to every character of at  *)
(* most 2t elements: the form sum_S w(#|S|) v^(S)^2 vanishes on the functions *)
(* v on the family, so that v is determined by the sets where w >= 0.         *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Characters.
Variable T : finType.
Implicit Types A B S U W : {set T}.

Definition symdiff A B : {set T} := (A :\: B) :|: (B :\: A).

Lemma in_symdiff A B x : (x \in symdiff A B) = (x \in A) (+) (x \in B).
Proof. by rewrite !inE; case: (x \in A); case: (x \in B). Qed.

Lemma symdiff_eq0 A B : (symdiff A B == set0) = (A == B).
Proof.
apply/eqP/eqP => [AB|->]; apply/setP => x; last by rewrite in_symdiff addbb inE.
by have := in_symdiff A B x; rewrite AB inE; case: (x \in A); case: (x \in B).
Qed.

Lemma card_symdiff A B : #|symdiff A B| = (#|A :\: B| + #|B :\: A|)%N.
Proof.
rewrite cardsU; have -> : (A :\: B) :&: (B :\: A) = set0.
  by apply/setP => x; rewrite !inE; case: (x \in A); case: (x \in B).
by rewrite cards0 subn0.
Qed.

Lemma card_symdiff1 W x : (#|W| <= #|symdiff W [set x]|.+1)%N.
Proof. by rewrite card_symdiff (cardsD1 x W); case: (x \in W); rewrite ?add0n; lia. Qed.

Lemma symdiffT U : symdiff setT U = ~: U.
Proof. by apply/setP => x; rewrite in_symdiff !inE. Qed.

Definition chi A S : rat := (-1) ^+ #|A :&: S|.

Lemma chiE A S : chi A S = \prod_x (-1) ^+ ((x \in A) && (x \in S)).
Proof.
rewrite /chi -sum1_card big_mkcond -prodrXr; apply: eq_bigr => x _.
by rewrite inE; case: ifP.
Qed.

Lemma chi_symdiff A B S : chi (symdiff A B) S = chi A S * chi B S.
Proof.
rewrite !chiE -big_split; apply: eq_bigr => x _ /=; rewrite in_symdiff.
by case: (x \in A); case: (x \in B); case: (x \in S); rewrite ?mulN1r ?mulrN1 ?opprK ?mul1r.
Qed.

Lemma chi_set1 x S : chi [set x] S = (-1) ^+ (x \in S).
Proof.
rewrite chiE (bigD1 x) //= set11 big1 ?mulr1 // => y y_neq.
by rewrite inE (negbTE y_neq).
Qed.

Lemma chi_setT S : chi setT S = (-1) ^+ #|S|.
Proof. by rewrite /chi setTI. Qed.

Lemma chi_sqr A S : chi A S * chi A S = 1.
Proof. by rewrite -expr2 sqrr_sign. Qed.

Lemma sum_chi1 S : \sum_x chi [set x] S = #|T|%:R - #|S|%:R *+ 2.
Proof.
under eq_bigr do rewrite chi_set1.
have -> : \sum_x (-1) ^+ (x \in S) = \sum_(x : T) 1 - \sum_(x in S) 2%:R :> rat.
  rewrite [X in _ - X]big_mkcond -sumrB; apply: eq_bigr => x _.
  by case: (x \in S).
by rewrite !sumr_const -mulrnA mulnC mulrnA.
Qed.

Lemma sum_chi W : W != set0 -> \sum_S chi W S = 0.
Proof.
case/set0Pn=> x Wx.
have flipK : involutive (symdiff [set x]).
  by move=> S; apply/setP => y; rewrite !in_symdiff addbA addbb.
have chiC A B : chi A B = chi B A by rewrite /chi setIC.
have chix : chi W [set x] = -1 by rewrite chiC chi_set1 Wx.
have : \sum_S chi W S = - \sum_S chi W S.
  rewrite {1}(reindex_inj (inv_inj flipK)) /= -mulN1r mulr_sumr; apply: eq_bigr => S _.
  by rewrite chiC chi_symdiff chiC chix chiC.
by move/eqP; rewrite -addr_eq0 -mulr2n mulrn_eq0 => /eqP.
Qed.

Lemma chi_orthogonal A B : A != B -> \sum_S chi A S * chi B S = 0.
Proof.
rewrite -symdiff_eq0 => /sum_chi sum0; rewrite -[RHS]sum0.
by apply: eq_bigr => S _; rewrite chi_symdiff.
Qed.

Lemma chi_prod (r : seq rat) W : (size r < #|W|)%N ->
  \sum_S chi W S * \prod_(a <- r) (#|S|%:R *+ 2 - a) = 0.
Proof.
elim: r W => [|a r IHr] W lt_rW.
  under eq_bigr do rewrite big_nil mulr1.
  by rewrite sum_chi // -card_gt0.
pose G S : rat := \prod_(b <- r) (#|S|%:R *+ 2 - b).
have termE S : chi W S * \prod_(b <- a :: r) (#|S|%:R *+ 2 - b) =
    (#|T|%:R - a) * (chi W S * G S) - \sum_x chi (symdiff W [set x]) S * G S.
  under [X in _ - X]eq_bigr do rewrite chi_symdiff.
  rewrite big_cons -/(G S) -!mulr_suml -mulr_sumr sum_chi1 -[_ *+ 2]mulr_natr.
  by ring.
under eq_bigr do rewrite termE.
rewrite sumrB -mulr_sumr IHr ?mulr0 ?sub0r; last exact: ltnW.
rewrite exchange_big big1 ?oppr0 // => x _; apply: IHr.
by have := card_symdiff1 W x; move: lt_rW => /=; lia.
Qed.

(* The ball of radius t. *)
Lemma card_ball t :
  #|[set S : {set T} | (#|S| <= t)%N]| = (\sum_(i < t.+1) 'C(#|T|, i))%N.
Proof.
rewrite -sum1_card (partition_big (fun S : {set T} => inord #|S| : 'I_t.+1) xpredT) //=.
apply: eq_bigr => i _.
rewrite -card_draws -sum1_card; apply: eq_bigl => S; rewrite !inE -val_eqE /=.
by case: leqP => /= S_le; rewrite ?inordK //; have := ltn_ord i; lia.
Qed.

End Characters.

(* The weight of a size. *)
Section Weight.
Variables (n t : nat).
Hypothesis t_lt : (t.*2 < n)%N.

Let lin (i j : nat) : rat := i%:R *+ 2 - j.*2.+1%:R.

Definition weight (i : nat) : rat :=
  (-1) ^+ (n - t + i).+1 * \prod_(t.+1 <= j < n - t) lin i j.

Lemma prod_lin_sign a b i : 0 < (-1) ^+ (b - maxn a i) * \prod_(a <= j < b) lin i j.
Proof.
elim: b => [|b IHb]; first by rewrite big_geq // sub0n mulr1 ltr01.
have [lt_ba|le_ab] := ltnP b a.
  have -> : (b.+1 - maxn a i = 0)%N by lia.
  by rewrite big_geq // mulr1 ltr01.
rewrite big_nat_recr //=; have [le_ib|lt_bi] := leqP i b.
  have -> : (b.+1 - maxn a i = (b - maxn a i).+1)%N by lia.
  rewrite exprS mulN1r mulNr mulrA -mulrN pmulr_rgt0 // oppr_gt0 subr_lt0.
  by rewrite -mulrnA ltr_nat; lia.
have e : (b.+1 - maxn a i = b - maxn a i)%N by lia.
by rewrite e mulrA pmulr_rgt0 // subr_gt0 -mulrnA ltr_nat; lia.
Qed.

(* Where the weight is not negative. *)
Lemma weight_ge0 i : (i <= n)%N -> 0 <= weight i ->
  (i <= t)%N && (odd i == odd t) || (n - i < t)%N && (odd (n - i) != odd t).
Proof.
move=> le_in; rewrite /weight; have := prod_lin_sign t.+1 (n - t) i.
set k := (_ - maxn _ _)%N; set p := \prod_(_ <= j < _) _ => p_gt0.
rewrite -[p](signrMK k).
rewrite mulrA -exprD pmulr_lge0 // -signr_odd signr_ge0 /= oddD negbK /k.
by move: t_lt le_in; case: (leqP i t); lia.
Qed.

End Weight.

Section Kleitman.
Variables (T : finType) (t : nat) (B : {set {set T}}).
Let n := #|T|.
Hypothesis t_lt : (t.*2 < n)%N.
Hypothesis diam : {in B &, forall S U, #|S :\: U| + #|U :\: S| <= t.*2}%N.

Let w := weight n t.
Let P := [set S : {set T} | 0 <= w #|S|].

(* The weight is orthogonal to the characters of at most 2t elements. *)
Lemma weight_orthogonal (U : {set T}) : (#|U| <= t.*2)%N ->
  \sum_(S : {set T}) w #|S| * chi U S = 0.
Proof.
move=> U_le; pose r := [seq j.*2.+1%:R : rat | j <- index_iota t.+1 (n - t)].
have lt_r : (size r < #|~: U|)%N.
  by rewrite size_map size_iota cardsCs setCK; lia.
have := chi_prod lt_r; move/(congr1 ( *%R ((-1) ^+ (n - t).+1))); rewrite mulr0 => sum0.
rewrite -[RHS]sum0 mulr_sumr; apply: eq_bigr => S _.
rewrite /w /weight -symdiffT chi_symdiff chi_setT big_map -addSn exprD.
by rewrite -!mulrA; do 2![congr (_ * _)]; rewrite mulrC.
Qed.

Lemma card_weight_ge0 : (#|P| <= \sum_(i < t.+1) 'C(n, i))%N.
Proof.
pose F (S : {set T}) := if (#|S| <= t)%N then S else ~: S.
have cardC (S : {set T}) : #|~: S| = (n - #|S|)%N by rewrite cardsCs setCK.
have injF : {in P &, injective F}.
  move=> S U; rewrite !inE => /(weight_ge0 t_lt (max_card _)) wS.
  move=> /(weight_ge0 t_lt (max_card _)) wU; rewrite /F.
  case: (leqP #|S| t) wS => S_le; case: (leqP #|U| t) wU => U_le //= wU wS eSU.
  - by exfalso; move: wS wU U_le; rewrite eSU cardC; lia.
  - by exfalso; move: wS wU S_le; rewrite -eSU cardC; lia.
  - exact: (can_inj (@setCK T)).
rewrite -(card_in_imset injF).
apply: (@leq_trans #|[set S : {set T} | (#|S| <= t)%N]|).
  apply/subset_leq_card/subsetP => _ /imsetP[S SP ->]; rewrite inE /F.
  move: SP; rewrite inE => /(weight_ge0 t_lt (max_card _)).
  by case: (leqP #|S| t) => //= _ /andP[/ltnW]; rewrite cardC.
by rewrite card_ball.
Qed.

Theorem kleitman : (#|B| <= \sum_(i < t.+1) 'C(n, i))%N.
Proof.
apply: leq_trans card_weight_ge0.
pose A : 'M[rat]_(#|B|, #|P|) := \matrix_(i, j) chi (enum_val i) (enum_val j).
suffices /eqP <- : row_free A by apply: rank_leq_col.
apply: inj_row_free => v vA0.
pose vh (S : {set T}) := \sum_i v 0 i * chi (enum_val i) S.
have vh_P S : S \in P -> vh S = 0.
  move=> SP; have := congr1 (fun M : 'rV_ _ => M 0 (enum_rank_in SP S)) vA0.
  rewrite !mxE => sum0; rewrite -[RHS]sum0; apply: eq_bigr => i _.
  by rewrite mxE enum_rankK_in.
have form0 : \sum_(S : {set T}) - w #|S| * vh S ^+ 2 = 0.
  have termE (S : {set T}) : - w #|S| * vh S ^+ 2 = \sum_i \sum_j
      - (v 0 i * v 0 j) * (w #|S| * chi (symdiff (enum_val i) (enum_val j)) S).
    rewrite expr2 mulr_suml mulr_sumr; apply: eq_bigr => i _.
    rewrite !mulr_sumr; apply: eq_bigr => j _; rewrite chi_symdiff.
    by ring.
  under eq_bigr do rewrite termE.
  rewrite exchange_big big1 // => i _; rewrite exchange_big big1 // => j _.
  by rewrite -mulr_sumr weight_orthogonal ?mulr0 // card_symdiff diam ?enum_valP.
have vh0 S : vh S = 0.
  have [/vh_P //|] := boolP (S \in P); rewrite inE -ltNge => w_lt0.
  have /psumr_eq0P/(_ S isT)/eqP := form0.
  rewrite mulf_eq0 oppr_eq0 lt_eqF //= sqrf_eq0 => vh0; apply/eqP/vh0 => U _.
  have [/vh_P ->|] := boolP (U \in P); first by rewrite expr0n mulr0.
  by rewrite inE -ltNge => wU_lt0; rewrite mulr_ge0 ?sqr_ge0 // oppr_ge0 ltW.
apply/rowP => i; rewrite mxE.
have : \sum_j v 0 j * (\sum_S chi (enum_val j) S * chi (enum_val i) S) = 0.
  under eq_bigr do rewrite mulr_sumr; rewrite exchange_big big1 // => S _ /=.
  by under eq_bigr do rewrite mulrA; rewrite -mulr_suml -/(vh S) vh0 mul0r.
rewrite (bigD1 i) //= [X in _ + X]big1 ?addr0 => [|j ne]; last first.
  by rewrite chi_orthogonal ?mulr0 ?(inj_eq enum_val_inj).
under eq_bigr do rewrite chi_sqr.
move/eqP; rewrite sumr_const mulf_eq0 pnatr_eq0 => /orP[/eqP //|].
by rewrite -cardsT -powersetT card_powerset expn_eq0.
Qed.

End Kleitman.

(* The ball of radius t attains the bound. *)
Lemma kleitman_sharp (T : finType) t (B := [set S : {set T} | (#|S| <= t)%N]) :
  {in B &, forall S U, #|S :\: U| + #|U :\: S| <= t.*2}%N /\
  #|B| = (\sum_(i < t.+1) 'C(#|T|, i))%N.
Proof.
split; last exact: card_ball.
move=> S U; rewrite !inE => S_le U_le; rewrite -addnn leq_add //.
  exact: leq_trans (subset_leq_card (subsetDl S U)) S_le.
exact: leq_trans (subset_leq_card (subsetDl U S)) U_le.
Qed.
