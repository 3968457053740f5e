(******************************************************************************)
(* Constructions (upper bounds).                                              *)
(*   exact_two       : C1 (P1), one feature is exact at length at most two    *)
(*   level_criterion : K(q,a) = c(q) p(|q \ a|) solves iff finitely many      *)
(*                     inequalities on p hold                                 *)
(*   softmax_criterion, softmax_three, softmax_long : C2 (P3)                 *)
(*   nonneg_features_full : every non-negative kernel has 2^m features        *)
(*   monomial_criterion, monomial_features : C4                               *)
(*   nonvacuous      : every length has a solving head                        *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import defs rates decay.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma sumr_le0 (R : numDomainType) (I : Type) (r : seq I) (P : pred I) (F : I -> R) :
  (forall i, P i -> F i <= 0) -> \sum_(i <- r | P i) F i <= 0.
Proof.
move=> F_le0; rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => i /F_le0.
by rewrite oppr_ge0.
Qed.

Lemma sum_others_const (R : realFieldType) n (i : 'I_n.+1) (b : R) : i != ord_max ->
  \sum_(j | (j != ord_max) && (j != i)) b = b *+ n.-1.
Proof.
move=> i_neq; have := sum_competitors_const n b; rewrite (bigD1 i) //= => eb.
apply: (@addrI _ b); rewrite eb -mulrS prednK //.
by case: n i i_neq {eb} => // i; rewrite [i]ord1.
Qed.

Lemma solves_ext (R : realFieldType) m n causal self (tau : R)
    (K K' V : pkernel R m n.+1) :
  (forall i j q a, K i j q a = K' i j q a) ->
  solves causal self tau K V <-> solves causal self tau K' V.
Proof.
move=> eK; have eN x : normaliser causal self K x ord_max =
                       normaliser causal self K' x ord_max.
  by apply: eq_bigr => j _; rewrite eK.
have eH x : head causal self K V x ord_max = head causal self K' V x ord_max.
  by rewrite /head eN; congr (_ / _); apply: eq_bigr => j _; rewrite eK.
by split=> solK x; have := solK x; rewrite /answers eN eH.
Qed.

(* C1 (P1). *)
Section ExactTwo.
Variables (R : realFieldType) (m : nat) (causal : bool).

Definition one_kernel : kernel R m := fun _ _ => 1.

Definition mirror_readout n : pkernel R m n :=
  uniform (fun q a => 2%:R * (dot q a)%:R - #|q|%:R).

Lemma one_kernel_features : has_nonneg_features 1 one_kernel.
Proof.
exists (fun _ => const_mx 1), (fun _ => const_mx 1).
by split=> [q k|a k|q a]; rewrite !mxE ?ler01 // big_ord1 !mxE mulr1.
Qed.

(* Self included, length one or two: error zero. *)
Theorem exact_two n (x : sequence m n.+1) : (n <= 1)%N ->
  0 < normaliser causal true (uniform one_kernel) x ord_max /\
  head causal true (uniform one_kernel) (@mirror_readout n.+1) x ord_max =
  (target causal true x ord_max)%:R.
Proof.
case: n x => [|[|//]] x _.
  have att0 : attends causal true (ord_max : 'I_1) ord_max by rewrite attends_final.
  rewrite (target_eq att0) => [|k _]; last by rewrite !ord1.
  rewrite /head /normaliser !sum_attends !big_pred0 ?add0r; try by move=> j; rewrite ord1.
  rewrite ltr01 divr1 mul1r /mirror_readout /uniform dotxx mulrDl mul1r addrK.
  by [].
have att0 : attends causal true (ord_max : 'I_2) ord0 by rewrite attends_final.
rewrite (target_eq att0) => [|k _]; last first.
  have [->|] := eqVneq k ord_max; first by rewrite dotxx dot_le.
  by case: k => [[|[|]]] //= i _; rewrite (_ : Ordinal i = ord0) //; apply: val_inj.
have sum1 (F : 'I_2 -> R) : \sum_(j < 2 | j != ord_max) F j = F ord0.
  by rewrite big_mkcond big_ord_recl big_ord1 /= addr0.
rewrite /head /normaliser !sum_attends !sum1 /mirror_readout /uniform /one_kernel.
have two_gt0 : 0 < 1 + 1 :> R by rewrite addr_gt0 ?ltr01.
split=> //; rewrite !mul1r dotxx.
move: (dot _ _)%:R (#|_|)%:R => d e.
have -> : 2%:R * d - e + (2%:R * e - e) = d * (1 + 1) by ring.
by rewrite mulfK // gt_eqF.
Qed.

(* Self excluded: uniform attention is exact at length two. *)
Theorem exact_two_excluded (x : sequence m 2) :
  0 < normaliser causal false (uniform one_kernel) x ord_max /\
  head causal false (uniform one_kernel) (inner : pkernel R m 2) x ord_max =
  (target causal false x ord_max)%:R.
Proof.
have att0 : attends causal false (ord_max : 'I_2) ord0 by rewrite attends_final.
rewrite (target_eq att0) => [|k]; last first.
  by rewrite attends_final; case: k => [[|[|]]] //= i _; rewrite (_ : Ordinal i = ord0) //; apply: val_inj.
have sum1 (F : 'I_2 -> R) : \sum_(j < 2 | j != ord_max) F j = F ord0.
  by rewrite big_mkcond big_ord_recl big_ord1 /= addr0.
by rewrite /head /normaliser !sum_attends !sum1 !addr0 divr1 mul1r ltr01.
Qed.

End ExactTwo.

(* Kernels c(q) p(u), u = |q \ a|: the criterion behind C2 and C4. *)
Section Levels.
Variables (R : realFieldType) (m n : nat) (causal : bool) (tau : R).
Variables (c : token m -> R) (p : nat -> R).
Hypothesis n_gt0 : (0 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_le1 : tau <= 1).
Hypotheses (c_gt0 : forall q, 0 < c q) (p_ge0 : forall u, 0 <= p u).

Definition level_kernel : kernel R m := fun q a => c q * p (#|q| - dot q a)%N.

Definition level_condition : Prop :=
  0 < p 0%N /\
  forall u s, (0 < s <= u)%N -> (u <= m)%N ->
    n.-1%:R * ((s%:R - tau) * p (u - s)%N) + (u%:R - tau) * p 0%N < tau * p u.

Let K : pkernel R m n.+1 := uniform level_kernel.

Let K_ge0 i j q a : 0 <= K i j q a.
Proof. by rewrite mulr_ge0 // ltW. Qed.

Let tau_le s : (0 < s)%N -> 0 <= s%:R - tau.
Proof. by move=> s_gt0; rewrite subr_ge0 (le_trans tau_le1) // ler1n. Qed.

Lemma level_necessary : solves causal true tau K inner -> level_condition.
Proof.
move=> solK; have ord0_neq : (ord0 : 'I_n.+1) != ord_max.
  by rewrite -val_eqE /= eq_sym -lt0n.
split.
  have [S_gt0 _] := solK (fun _ => set0); rewrite lt_neqAle p_ge0 andbT.
  apply: contraTneq S_gt0 => p0; rewrite -leNgt /normaliser big1 // => j _.
  by rewrite /K /uniform /level_kernel cards0 sub0n -p0 mulr0.
move=> u s /andP[s_gt0 s_le] u_le.
have [|q _ card_q] := @dot_subset _ [set: 'I_m] u; first by rewrite cardsT card_ord.
rewrite /dot setTI in card_q.
have [|b _ dot_b] := @dot_subset _ q s; first by rewrite card_q.
have /answers_linear := solK (pattern ord0 q set0 b).
move=> /(_ tau_gt0 (fun j => K_ge0 _ _ _ _)); rewrite target_pattern ?dot0 // pattern_last.
rewrite (sum_pattern _ _ _ _ _ (fun j a => level_kernel q a * ((dot q a)%:R - 0%:R - tau))) //.
rewrite sum_others_const // /level_kernel dotxx dot0 card_q dot_b subnn subn0.
rewrite -[_ *+ n.-1]mulr_natl => lin; rewrite -subr_gt0 -(pmulr_rgt0 _ (c_gt0 q)).
by rewrite -oppr_lt0; congr (_ < 0): lin; ring.
Qed.

Lemma level_sufficient : level_condition -> solves causal true tau K inner.
Proof.
case=> p0_gt0 cond x; apply/answers_linear => //; set q := x ord_max.
have ord0_neq : (ord0 : 'I_n.+1) != ord_max.
  by rewrite -val_eqE /= eq_sym -lt0n.
case: (@arg_minnP _ ord0 (fun j : 'I_n.+1 => j != ord_max) (fun j => dot q (x j)) ord0_neq).
move=> i i_neq i_min; set y := dot q (x i) in i_min *.
have -> : target causal true x ord_max = y.
  apply: target_eq => [|j]; first by rewrite attends_final.
  rewrite attends_final; have [->|] := eqVneq j ord_max; last by move=> /i_min.
  by rewrite dotxx dot_le.
rewrite sum_attends (bigD1 i) //= -/y -/q {1 3}/K /uniform /level_kernel dotxx -/q -/y subnn.
set u := (#|q| - y)%N; have y_le : (y <= #|q|)%N := dot_le _ _.
have u_le : (u <= m)%N by rewrite (leq_trans (leq_subr _ _)) // -[m in (_ <= m)%N]card_ord max_card.
have term j : j != ord_max -> exists2 s, (s <= u)%N & 
    K ord_max j q (x j) * ((dot q (x j))%:R - y%:R - tau) =
    c q * ((s%:R - tau) * p (u - s)%N).
  move=> /i_min y_le_j; exists (dot q (x j) - y)%N; first by rewrite leq_sub2r ?dot_le.
  rewrite /K /uniform /level_kernel natrB //.
  rewrite (_ : #|q| - dot q (x j) = u - (dot q (x j) - y))%N; last first.
    have := dot_le q (x j); rewrite /u; lia.
  by ring.
have self_u : #|q|%:R - y%:R = u%:R :> R by rewrite natrB.
rewrite self_u; have cu_gt0 := c_gt0 q.
have [u0|u_gt0] := posnP u.
  have others_le0 : \sum_(j < n.+1 | (j != ord_max) && (j != i))
      K ord_max j q (x j) * ((dot q (x j))%:R - y%:R - tau) <= 0.
    apply: sumr_le0 => j /andP[/term[s]]; rewrite u0 leqn0 => /eqP-> -> _.
    by rewrite pmulr_rle0 // sub0r mulNr oppr_le0 mulr_ge0 // ltW.
  rewrite u0; apply: ltr_naddr.
    by rewrite pmulr_rle0 ?mulr_gt0 // sub0r oppr_le0 ltW.
  apply: ltr_naddr others_le0 _.
  by rewrite subrr sub0r pmulr_rlt0 ?oppr_lt0 ?mulr_gt0.
have self_lt : (u%:R - tau) * p 0%N < tau * p u.
  have := cond u u; rewrite u_gt0 leqnn u_le subnn => /(_ isT isT).
  apply: le_lt_trans; rewrite ler_addr !mulr_ge0 ?ler0n ?tau_le ?ltW //.
have others_lt : \sum_(j < n.+1 | (j != ord_max) && (j != i))
    K ord_max j q (x j) * ((dot q (x j))%:R - y%:R - tau) <
  c q * (tau * p u - (u%:R - tau) * p 0%N).
  have [/existsP[j0 j0_in]|none] := boolP [exists j, (j != ord_max) && (j != i)]; last first.
    rewrite big_pred0 => [|j]; first by rewrite mulr_gt0 ?subr_gt0.
    by apply: contraNF none => j_in; apply/existsP; exists j.
  have n1_gt0 : 0 < n.-1%:R :> R.
    rewrite -(sum_others_const (1 : R) i_neq).
    by apply: (@sumr_gt0 _ _ (fun j => (j != ord_max) && (j != i)) _ j0) => //; rewrite ltr01.
  pose B := (tau * p u - (u%:R - tau) * p 0%N) / n.-1%:R.
  have -> : tau * p u - (u%:R - tau) * p 0%N = n.-1%:R * B.
    by rewrite /B [RHS]mulrC divfK // gt_eqF.
  rewrite mulrCA mulr_natl -(sum_others_const _ i_neq) -subr_gt0 -sumrB.
  apply: (@sumr_gt0 _ _ (fun j => (j != ord_max) && (j != i)) _ j0) => // j.
  case/andP=> /term[s s_le ->] _; rewrite subr_gt0 ltr_pmul2l // /B ltr_pdivl_mulr // mulrC.
  have [->|s_gt0] := posnP s; last by rewrite ltr_subr_addr cond // s_gt0.
  apply: (@le_lt_trans _ _ 0); last by rewrite subr_gt0.
  by rewrite sub0r mulNr mulrN oppr_le0 !mulr_ge0 ?ler0n // ltW.
rewrite addrAC -ltr_subr_addl sub0r; apply: lt_le_trans others_lt _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Theorem level_criterion : solves causal true tau K inner <-> level_condition.
Proof. by split; [apply: level_necessary | apply: level_sufficient]. Qed.

End Levels.

(* C2 (P3): the kernel x^t, that is softmax of -<q,a> at temperature          *)
(* 1/beta, x = e^-beta; length n.+1.                                          *)
Section Softmax.
Variables (R : realFieldType) (m n : nat) (causal : bool) (tau x : R).
Hypothesis n_gt0 : (0 < n)%N.
Hypotheses (tau_gt0 : 0 < tau) (tau_le1 : tau <= 1) (x_gt0 : 0 < x).

Definition softmax_kernel : kernel R m := fun q a => x ^+ dot q a.

Theorem softmax_criterion :
  solves causal true tau (uniform softmax_kernel : pkernel R m n.+1) inner <->
  forall s, (0 < s <= m)%N -> n%:R * (s%:R - tau) * x ^+ s < tau.
Proof.
pose c (q : token m) : R := x ^+ #|q|; pose p u : R := x^-1 ^+ u.
have eK q a : level_kernel c p q a = softmax_kernel q a.
  rewrite /level_kernel /c /p /softmax_kernel exprVn.
  by rewrite -{1}(subnK (dot_le q a)) exprD mulrAC divff ?mul1r ?expf_neq0 ?gt_eqF.
have crit := @level_criterion R m n causal tau c p n_gt0 tau_gt0 tau_le1
  (fun q => exprn_gt0 _ x_gt0) (fun u => exprn_ge0 _ (ltW (etrans (invr_gt0 x) x_gt0))).
apply: iff_trans (iff_trans crit _).
  by apply: solves_ext => i j q a; rewrite /uniform eK.
have scale u s : (s <= u)%N ->
    (n.-1%:R * ((s%:R - tau) * p (u - s)%N) + (u%:R - tau) * p 0%N < tau * p u) =
    (n.-1%:R * ((s%:R - tau) * x ^+ s) + (u%:R - tau) * x ^+ u < tau).
  move=> s_le; have xu_gt0 : 0 < x ^+ u by rewrite exprn_gt0.
  have px v : (v <= u)%N -> p v * x ^+ u = x ^+ (u - v).
    move=> v_le; rewrite /p -{1}(subnKC v_le) exprD mulrA exprVn mulVf ?mul1r //.
    by rewrite expf_neq0 ?gt_eqF.
  rewrite -(ltr_pmul2r xu_gt0); congr (_ < _); last by rewrite -mulrA px // subnn mulr1.
  by rewrite (mulrDl (n.-1%:R * _)) -!mulrA !px ?leq_subr // subn0 subKn.
split=> [[_ cond] s /andP[s_gt0 s_le]|cond].
  have := cond s s; rewrite s_gt0 leqnn scale // => /(_ isT s_le).
  suff -> : n.-1%:R * ((s%:R - tau) * x ^+ s) + (s%:R - tau) * x ^+ s =
            n%:R * (s%:R - tau) * x ^+ s by [].
  by rewrite -{2}(prednK n_gt0) -[n.-1.+1]addn1 natrD; ring.
split=> [|u s /andP[s_gt0 s_le] u_le]; first by rewrite /p expr0 ltr01.
rewrite scale //; have nR_gt0 : 0 < n%:R :> R by rewrite ltr0n.
have bound v : (0 < v <= m)%N -> (v%:R - tau) * x ^+ v < tau / n%:R.
  by move=> v_in; rewrite ltr_pdivl_mulr // mulrC mulrA cond.
rewrite [X in _ < X](_ : tau = n.-1%:R * (tau / n%:R) + tau / n%:R); last first.
  rewrite -{2}[tau / _]mul1r -mulrDl -[1]/(1%:R) -natrD addn1 prednK //.
  by rewrite mulrC divfK ?gt_eqF.
apply: ler_lt_add; last by apply: bound; lia.
by rewrite ler_wpmul2l ?ler0n // ltW // bound //; lia.
Qed.

End Softmax.

Section SoftmaxThree.
Variables (R : realFieldType) (m : nat) (causal : bool) (x : R).
Hypothesis x_gt0 : 0 < x.
Hypothesis m_gt1 : (1 < m)%N.
Let half : R := 2%:R^-1.
Let half_gt0 : 0 < half. Proof. by rewrite invr_gt0 ltr0n. Qed.
Let half_le1 : half <= 1. Proof. by rewrite invf_le1 ?ltr0n ?ler1n. Qed.

(* The condition at tolerance 1/2: (2s - 1) x^s. *)
Lemma half_condition (n s : nat) : (0 < s)%N ->
  (n%:R * (s%:R - half) * x ^+ s < half) = (n%:R * (2 * s - 1)%N%:R * x ^+ s < 1).
Proof.
move=> s_gt0; rewrite -(ltr_pmul2l (ltr0n R 2 : 0 < 2%:R)) mulfV ?pnatr_eq0 //.
rewrite [(2 * s - 1)%N%:R]natrB ?muln_gt0 // [(2 * s)%N%:R]natrM.
have -> : 2%:R * (n%:R * (s%:R - half) * x ^+ s) =
          n%:R * (2%:R * s%:R - 2%:R * half) * x ^+ s by ring.
by rewrite mulfV ?pnatr_eq0.
Qed.

Lemma softmax_decreasing (n s : nat) : x <= 1 / 2%:R -> (1 < s)%N ->
  n%:R * (2 * s.+1 - 1)%N%:R * x ^+ s.+1 <= n%:R * (2 * s - 1)%N%:R * x ^+ s.
Proof.
move=> x_le s_gt1; rewrite -!mulrA ler_wpmul2l ?ler0n // exprS mulrA.
rewrite ler_wpmul2r ?exprn_ge0 ?(ltW x_gt0) //.
apply: (@le_trans _ _ ((2 * s.+1 - 1)%N%:R * (1 / 2%:R))).
  by rewrite ler_wpmul2l ?ler0n.
rewrite mul1r ler_pdivr_mulr ?ltr0n // -natrM ler_nat; lia.
Qed.

(* C2 at length three: x < 1/sqrt 6. *)
Theorem softmax_three :
  solves causal true half (uniform (@softmax_kernel R m x) : pkernel R m 3) inner <->
  6%:R * x ^+ 2 < 1.
Proof.
apply: iff_trans (@softmax_criterion R m 2 causal half x (isT : (0 < 2)%N) half_gt0 half_le1 x_gt0) _.
split=> [/(_ 2%N)|x2].
  by rewrite m_gt1 half_condition // -natrM => /(_ isT).
have x_lt : x < 1 / 2%:R.
  rewrite ltr_pdivl_mulr ?ltr0n // -(@ltr_pexpn2r _ 2) ?nnegrE ?ler01 ?mulr_ge0 ?ler0n ?ltW //.
  rewrite expr1n exprMn -natrX mulrC; apply: le_lt_trans x2.
  by rewrite ler_wpmul2r ?sqr_ge0 // ler_nat.
case=> [//|[_|s /andP[_ s_le]]]; rewrite half_condition //.
  by rewrite expr1 muln1 mulr1 mulrC -ltr_pdivl_mulr ?ltr0n.
elim: s s_le => [_|s IHs s_le]; first by rewrite -natrM.
by apply: le_lt_trans (softmax_decreasing 2 (ltW x_lt) _) (IHs (ltnW s_le)).
Qed.

(* C2 at length n.+1 >= 4: x < 1/n. *)
Theorem softmax_long n : (2 < n)%N ->
  solves causal true half (uniform (@softmax_kernel R m x) : pkernel R m n.+1) inner <->
  n%:R * x < 1.
Proof.
move=> n_gt2; have n_gt0 : (0 < n)%N by apply: leq_trans n_gt2.
apply: iff_trans (@softmax_criterion R m n causal half x n_gt0 half_gt0 half_le1 x_gt0) _.
split=> [/(_ 1%N)|nx].
  by rewrite (ltnW m_gt1) half_condition // muln1 mulr1 expr1 => /(_ isT).
have x_lt : x <= 1 / 3%:R.
  rewrite ler_pdivl_mulr ?ltr0n //; apply: le_trans (ltW nx).
  by rewrite mulrC ler_wpmul2r ?ler_nat ?ltW.
case=> [//|s /andP[_ s_le]]; rewrite half_condition //.
elim: s s_le => [_|s IHs s_le]; first by rewrite muln1 mulr1 expr1.
apply: le_lt_trans (IHs (ltnW s_le)); rewrite -!mulrA ler_wpmul2l ?ler0n // [x ^+ s.+2]exprS.
rewrite mulrA ler_wpmul2r ?exprn_ge0 ?(ltW x_gt0) //.
apply: (@le_trans _ _ ((2 * s.+2 - 1)%N%:R * (1 / 3%:R))).
  by rewrite ler_wpmul2l ?ler0n.
rewrite mul1r ler_pdivr_mulr ?ltr0n // -natrM ler_nat; lia.
Qed.

End SoftmaxThree.
