(******************************************************************************)
(* R1: the reduction to a noise kernel on the cube.                           *)
(*   even_lift z   == (z, the parity of |z|), an even-weight vector of        *)
(*                    {0,1}^(m+1); the parity comes first                     *)
(*   noisy r A     == A(x,y) = (1 +- 1/(4m)) r^-d(x,y) on the even-weight     *)
(*                    vectors x and y of {0,1}^(m+1)                          *)
(*   reduction_kernel A == |q \ a| r^-|a| r^pi A(q^c~, a~) + delta, where pi  *)
(*                    is the parity of d(q^c, a)                              *)
(*   noise_reduction : D features of A give a kernel with 2 m D + 1 features  *)
(*                    that solves length n.+1, self included or excluded      *)
(*   noise_reduction_nonneg : the same with non-negative features             *)
(* The hypothesis on r: rho = r^2 is a decay rate, (n - 2) (j - tau) <=       *)
(* tau rho^j for every j >= 1, n the length.  It implies r >= 1.              *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import defs rates decay constructions products.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* Features indexed by a finite type. *)
Lemma features_sum (R : realFieldType) m (I : finType) (phi psi : I -> token m -> R)
    (K : kernel R m) :
  (forall q a, K q a = \sum_i phi i q * psi i a) -> has_features #|I| K.
Proof.
move=> K_sum; exists (fun q => \row_k phi (enum_val k) q).
exists (fun a => \row_k psi (enum_val k) a) => q a.
rewrite mxE K_sum (reindex (@enum_val _ (mem I))) /=; last exact/onW_bij/enum_val_bij.
by apply: eq_bigr => k _; rewrite !mxE.
Qed.

Section EvenLift.
Variable m : nat.
Implicit Types x y : token m.

Definition even_lift x : token m.+1 :=
  [set i | if unlift ord0 i is Some k then k \in x else odd #|x|].

Lemma in_even_lift0 x : (ord0 \in even_lift x) = odd #|x|.
Proof. by rewrite inE unlift_none. Qed.

Lemma in_even_liftS x k : (lift ord0 k \in even_lift x) = (k \in x).
Proof. by rewrite inE liftK. Qed.

Lemma card_ord_recl (A : {set 'I_m.+1}) :
  #|A| = ((ord0 \in A) + #|[set k | lift ord0 k \in A]|)%N.
Proof.
rewrite -sum1_card big_mkcond big_ord_recl /=; congr (_ + _)%N.
by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => k _; rewrite inE.
Qed.

Lemma card_even_lift x : #|even_lift x| = (#|x| + odd #|x|)%N.
Proof.
rewrite card_ord_recl in_even_lift0 addnC; congr (_ + _)%N.
by apply: eq_card => k; rewrite inE in_even_liftS.
Qed.

Lemma even_lift_even x : ~~ odd #|even_lift x|.
Proof. by rewrite card_even_lift oddD oddb addbb. Qed.

Lemma hamming_even_lift x y :
  hamming (even_lift x) (even_lift y) = (hamming x y + (odd #|x| (+) odd #|y|))%N.
Proof.
rewrite /hamming card_ord_recl addnC; congr (_ + _)%N.
  by apply: eq_card => k; rewrite !inE !liftK.
by rewrite !in_setU !in_setD !in_even_lift0; case: (odd _); case: (odd _).
Qed.

Lemma hamming_dot x y : (hamming x y + 2 * dot x y = #|x| + #|y|)%N.
Proof.
rewrite /hamming cardsU (_ : _ :&: _ = set0) ?cards0 ?subn0.
  have := cardsID x y; have := cardsID y x; rewrite (setIC y x) /dot; lia.
by apply/setP => i; rewrite !inE; case: (i \in x); rewrite ?andbF.
Qed.

Lemma hamming_setC x y : (hamming (~: x) y + #|y| = m - #|x| + 2 * dot x y)%N.
Proof.
have := hamming_dot (~: x) y; have := cardsC x; rewrite card_ord.
by have := cardsID x y; rewrite setDE /dot ![y :&: _]setIC; lia.
Qed.

End EvenLift.

Section Reduction.
Variables (R : realFieldType) (m n : nat) (r tau : R).
Hypotheses (m_gt0 : (0 < m)%N) (n_gt1 : (1 < n)%N).
Hypotheses (tau_gt0 : 0 < tau) (tau_le1 : tau <= 1) (r_ge0 : 0 <= r).
Hypothesis rate : forall j, (0 < j)%N ->
  (n.+1 - 2)%N%:R * (j%:R - tau) <= tau * (r ^+ 2) ^+ j.

Definition noisy (A : kernel R m.+1) : Prop := forall x y : token m.+1,
  ~~ odd #|x| -> ~~ odd #|y| -> `|A x y / r ^- hamming x y - 1| <= (4 * m)%N%:R^-1.

Variable A : kernel R m.+1.
Hypothesis A_noisy : noisy A.

Implicit Types q a b : token m.

Let r_ge1 : 1 <= r.
Proof.
have n1_ge1 : 1 <= (n.+1 - 2)%N%:R :> R by rewrite ler1n; lia.
have : tau * 1 <= tau * r ^+ 4.
  rewrite mulr1 -[4%N]/(2 * 2)%N exprM; apply: le_trans (rate (isT : (0 < 2)%N)).
  have tau_le : tau <= 2%:R - tau by rewrite ler_subr_addl -[2%:R]/(1 + 1) ler_add.
  by apply: le_trans (tau_le) _; rewrite ler_pemull //; exact: le_trans (ltW tau_gt0) tau_le.
by rewrite ler_pmul2l // expr_ge1.
Qed.

Let r_gt0 : 0 < r. Proof. exact: lt_le_trans ltr01 r_ge1. Qed.

Definition parity q a : bool := odd #|~: q| (+) odd #|a|.

Definition delta : R := tau / (2 * n * m)%N%:R * r ^- (3 * m).

Definition reduction_kernel : kernel R m := fun q a =>
  #|q :\: a|%:R * (r ^- #|a| * r ^+ parity q a * A (even_lift (~: q)) (even_lift a)) + delta.

Let delta_gt0 : 0 < delta.
Proof.
rewrite /delta mulr_gt0 ?invr_gt0 ?exprn_gt0 // mulr_gt0 ?invr_gt0 // ltr0n; lia.
Qed.

(* The weight r^(|q| - m) rho^-t of a level. *)
Let w q t : R := r ^- (m - #|q| + 2 * t).

Let w_gt0 q t : 0 < w q t. Proof. by rewrite invr_gt0 exprn_gt0. Qed.

Let eps : R := (4 * m)%N%:R^-1.

Lemma reduction_kernelE q a : exists2 al : R, 1 - eps <= al <= 1 + eps &
  reduction_kernel q a = (#|q| - dot q a)%N%:R * (w q (dot q a) * al) + delta.
Proof.
have := A_noisy (even_lift_even (~: q)) (even_lift_even a); rewrite ler_distl => al_in.
eexists; first exact: al_in.
rewrite /reduction_kernel card_setD_dot; congr (_ * _ + _).
rewrite /w -hamming_setC hamming_even_lift -/(parity q a) !exprD invrK.
move: (_ _ (even_lift a)) (hamming _ _) => x h; rewrite invfM.
have r_unit k : r ^+ k != 0 by rewrite expf_neq0 ?gt_eqF.
by field; rewrite !r_unit.
Qed.

Let eps_in : 0 < eps /\ eps * (4 * m)%N%:R = 1.
Proof.
have m4_gt0 : 0 < (4 * m)%N%:R :> R by rewrite ltr0n; lia.
by rewrite invr_gt0 mulVf ?gt_eqF.
Qed.

Let eps_lt1 : eps < 1.
Proof. by rewrite invf_lt1 ?ltr0n ?ltr1n; lia. Qed.

Lemma reduction_kernel_ge0 q a : 0 <= reduction_kernel q a.
Proof.
have [al /andP[al_ge _] ->] := reduction_kernelE q a.
rewrite addr_ge0 ?(ltW delta_gt0) // mulr_ge0 ?ler0n // mulr_ge0 ?(ltW (w_gt0 _ _)) //.
by apply: le_trans al_ge; rewrite subr_ge0 ltW.
Qed.

Let card_le q : (#|q| <= m)%N.
Proof. by rewrite -[m in (_ <= m)%N]card_ord max_card. Qed.

(* A competitor j levels above the least one, against the least one. *)
Lemma reduction_step q a b j : (0 < j)%N -> (dot q a + j <= #|q|)%N ->
    dot q b = (dot q a + j)%N ->
  (n.+1 - 2)%N%:R * ((j%:R - tau) * reduction_kernel q b) <=
  (#|q| - dot q a).-1%:R * (tau * w q (dot q a) * (1 + eps)) + (n.+1 - 2)%N%:R * (m%:R * delta).
Proof.
move=> j_gt0 j_le dot_b; set N := (_ - 2)%N%:R; set u := (#|q| - dot q a)%N.
have u_le : (u - j <= u.-1)%N by move: j_gt0; clear; lia.
have [al /andP[_ al_le] ->] := reduction_kernelE q b.
have N_ge0 : 0 <= N by rewrite ler0n.
have j_tau : 0 <= j%:R - tau by rewrite subr_ge0 (le_trans tau_le1) ?ler1n.
have j_le_m : j%:R - tau <= m%:R.
  rewrite ler_subl_addr ler_paddr ?(ltW tau_gt0) // ler_nat.
  by move: (card_le q) j_le; clear; lia.
have -> : w q (dot q b) = w q (dot q a) * (r ^+ 2) ^- j.
  by rewrite /w dot_b mulnDr addnA -exprM [RHS]mulrC -invfM -exprD addnC.
have -> : (#|q| - dot q b = u - j)%N by rewrite dot_b subnDA.
have rj_gt0 : 0 < (r ^+ 2) ^+ j by rewrite !exprn_gt0.
have rjV_ge0 : 0 <= (r ^+ 2) ^- j by rewrite invr_ge0 ltW.
have := rate j_gt0; rewrite -/N -ler_pdivr_mulr // => rate_j.
rewrite 2!mulrDr ler_add //; last by rewrite ler_wpmul2l // ler_wpmul2r // ltW.
have -> : N * ((j%:R - tau) * ((u - j)%N%:R * (w q (dot q a) * (r ^+ 2) ^- j * al))) =
  (u - j)%N%:R * (N * (j%:R - tau) / (r ^+ 2) ^+ j * w q (dot q a) * al) by ring.
have w_ge0 := ltW (w_gt0 q (dot q a)).
have eps1_ge0 : 0 <= 1 + eps by rewrite addr_ge0 ?ler01 // ltW //; case: eps_in.
apply: (@le_trans _ _ ((u - j)%N%:R * (tau * w q (dot q a) * (1 + eps)))).
  rewrite ler_wpmul2l ?ler0n //.
  apply: (@le_trans _ _ (N * (j%:R - tau) / (r ^+ 2) ^+ j * w q (dot q a) * (1 + eps))).
    by rewrite ler_wpmul2l // !mulr_ge0.
  by rewrite ler_wpmul2r // ler_wpmul2r.
by rewrite ler_wpmul2r ?ler_nat // mulr_ge0 // mulr_ge0 // ltW.
Qed.

Lemma reduction_kernel_self q : reduction_kernel q q = delta.
Proof. by rewrite /reduction_kernel setDv cards0 mul0r add0r. Qed.

(* The least competitor outweighs the others and the query itself. *)
Lemma reduction_balance q a : (dot q a < #|q|)%N ->
  (#|q| - dot q a).-1%:R * (tau * w q (dot q a) * (1 + eps)) + n%:R * (m%:R * delta) <
  tau * reduction_kernel q a.
Proof.
move=> u_gt0; set u := (#|q| - dot q a)%N.
have [al /andP[al_ge _] ->] := reduction_kernelE q a; rewrite -/u.
have q_le := card_le q.
have [eps_gt0 eps_m] := eps_in; set W := w q (dot q a); have W_gt0 : 0 < W := w_gt0 q (dot q a).
have W_ge : r ^- (3 * m) <= W.
  rewrite lef_pinv ?posrE ?exprn_gt0 // ler_weexpn2l //.
  by move: (dot_le q a) q_le; clear; lia.
have n_delta : 2%:R * (n%:R * (m%:R * delta)) = tau * r ^- (3 * m).
  have N_neq0 : (2 * n * m)%N%:R != 0 :> R.
    by rewrite pnatr_eq0; move: n_gt1 m_gt0; clear; nia.
  rewrite 2!mulrA -!natrM /delta mulrA; congr (_ * _).
  by rewrite [LHS]mulrC divfK.
have u_eq : u%:R = u.-1%:R + 1 :> R by rewrite -[1]/(1%:R) -natrD addn1 prednK ?subn_gt0.
have v_le : (4%:R * u.-1%:R + 2%:R) * eps <= 1.
  rewrite -[X in _ <= X]eps_m mulrC ler_pmul2l // -natrM -natrD ler_nat /u.
  by move: u_gt0 q_le; clear; lia.
rewrite -(ltr_pmul2l (ltr0n R 2 : 0 < 2%:R)) [X in X < _]mulrDr n_delta.
have x_le : tau * r ^- (3 * m) <= tau * W by rewrite ler_pmul2l.
have al_le : tau * (u%:R * (W * (1 - eps))) <= tau * (u%:R * (W * al)).
  by rewrite ler_wpmul2l ?(ltW tau_gt0) // ler_wpmul2l ?ler0n // ler_pmul2l.
have base_ge0 : 0 <= tau * W * (1 - (4%:R * u.-1%:R + 2%:R) * eps).
  by rewrite mulr_ge0 ?subr_ge0 //; apply/ltW/mulr_gt0.
have td_gt0 : 0 < tau * delta by rewrite mulr_gt0.
apply: (@le_lt_trans _ _ (2%:R * (tau * (u%:R * (W * (1 - eps)))))).
  rewrite u_eq; move: x_le base_ge0; rewrite -[_ <= tau * W]subr_ge0.
  move: (r ^- _) u.-1%:R => x v x_le base_ge0; rewrite -subr_ge0.
  have -> : 2%:R * (tau * ((v + 1) * (W * (1 - eps)))) -
      (2%:R * (v * (tau * W * (1 + eps))) + tau * x) =
      tau * W - tau * x + tau * W * (1 - (4%:R * v + 2%:R) * eps) by ring.
  exact: addr_ge0.
by rewrite ltr_pmul2l ?ltr0n // [X in _ < X]mulrDr ltr_spaddr.
Qed.

(* R1: the kernel solves. *)
Theorem reduction_solves causal self :
  solves causal self tau (uniform reduction_kernel : pkernel R m n.+1) inner.
Proof.
move=> x; apply/answers_linear => // [j|]; first exact: reduction_kernel_ge0.
have ord0_neq : (ord0 : 'I_n.+1) != ord_max by rewrite -val_eqE /= eq_sym -lt0n ltnW.
set q := x ord_max; rewrite /uniform.
case: (@arg_minnP _ ord0 (fun j : 'I_n.+1 => j != ord_max) (fun j => dot q (x j)) ord0_neq).
move=> i i_neq i_min; set a := x i in i_min *.
have -> : target causal self x ord_max = dot q a.
  apply: target_eq => [|j _]; first by rewrite attends_final i_neq orbT.
  by have [->|/i_min //] := eqVneq j ord_max; rewrite dotxx dot_le.
rewrite sum_attends (bigD1 i) //= -/a -/q dotxx subrr sub0r reduction_kernel_self.
have K_ge0 := reduction_kernel_ge0.
have level j : j != ord_max -> exists2 s, (dot q a + s <= #|q|)%N & dot q (x j) = (dot q a + s)%N.
  by move=> /i_min le_j; exists (dot q (x j) - dot q a)%N; rewrite subnKC ?dot_le.
have [q_le|u_gt0] := leqP #|q| (dot q a).
  have Ka : 0 < reduction_kernel q a.
    rewrite /reduction_kernel card_setD_dot; move: q_le; rewrite -subn_eq0 => /eqP->.
    by rewrite mul0r add0r.
  rewrite addrAC -addrA; apply: ltr_naddr; last by rewrite pmulr_rlt0 ?oppr_lt0.
  rewrite -[X in _ <= X]addr0; apply: ler_add.
    case: self => //; rewrite pmulr_rle0 // subr_le0 ler_subl_addr ler_paddl ?(ltW tau_gt0) //.
    by rewrite ler_nat.
  apply: sumr_le0 => j /andP[/level[s s_le ->] _]; rewrite mulr_ge0_le0 //.
  have -> : s = 0%N by move: s_le q_le; clear; lia.
  by rewrite addn0 subrr sub0r oppr_le0 ltW.
set C := (#|q| - dot q a).-1%:R * (tau * w q (dot q a) * (1 + eps)).
set N : R := (n.+1 - 2)%N%:R; have N_gt0 : 0 < N by rewrite ltr0n; move: n_gt1; clear; lia.
have C_ge0 : 0 <= C.
  have [eps_gt0 _] := eps_in.
  apply: mulr_ge0; first exact: ler0n.
  by apply/ltW/mulr_gt0; [apply: mulr_gt0 (w_gt0 _ _) | apply: addr_gt0 ltr01 _].
have self_le : (if self then delta * (#|q|%:R - (dot q a)%:R - tau) else 0) <= m%:R * delta.
  case: self; last by rewrite mulr_ge0 ?ler0n // ltW.
  rewrite mulrC ler_wpmul2r ?(ltW delta_gt0) // -natrB ?(ltnW u_gt0) //.
  rewrite ler_subl_addr ler_paddr ?(ltW tau_gt0) // ler_nat.
  by rewrite (leq_trans (leq_subr _ _)).
have others_le : \sum_(j < n.+1 | (j != ord_max) && (j != i))
    reduction_kernel q (x j) * ((dot q (x j))%:R - (dot q a)%:R - tau) <= C + N * (m%:R * delta).
  have -> : C + N * (m%:R * delta) =
      \sum_(j < n.+1 | (j != ord_max) && (j != i)) (C + N * (m%:R * delta)) / N.
    have N_eq : n.-1%:R = N by rewrite /N subSS subn1.
    by rewrite sum_others_const // -[RHS]mulr_natr N_eq divfK ?gt_eqF.
  apply: ler_sum => j /andP[/level[s s_le eq_s] _].
  rewrite ler_pdivl_mulr // eq_s natrD [_ + s%:R]addrC addrK.
  have [->|s_gt0] := posnP s; last first.
    by rewrite mulrC [X in N * X <= _]mulrC; apply: reduction_step s_gt0 s_le eq_s.
  rewrite sub0r; apply: (@le_trans _ _ 0).
    by rewrite mulr_le0_ge0 ?(ltW N_gt0) // mulr_ge0_le0 // oppr_le0 ltW.
  rewrite addr_ge0 // mulr_ge0 ?(ltW N_gt0) // mulr_ge0 ?ler0n //; exact: ltW.
rewrite -addrA mulrN addrC subr_lt0 [X in _ < X]mulrC.
apply: le_lt_trans (reduction_balance u_gt0).
apply: le_trans (ler_add others_le self_le) _; rewrite -addrA -/C ler_add2l.
have -> : n%:R = N + 1 :> R by rewrite -[1]/(1%:R) -natrD; congr _%:R; move: n_gt1; clear; lia.
by rewrite mulrDl mul1r.
Qed.

Section Features.
Variables (D : nat) (phi psi : token m.+1 -> 'rV[R]_D).
Hypothesis A_sum : forall x y : token m.+1,
  ~~ odd #|x| -> ~~ odd #|y| -> A x y = (phi x *m (psi y)^T) 0 0.

(* An element of q \ a, the parity of q^c and a feature of A; and delta. *)
Let I := ('I_m * bool * 'I_D + unit)%type.

Let card_I : #|{: I}| = (2 * m * D + 1)%N.
Proof. by rewrite card_sum !card_prod !card_ord card_bool card_unit [(2 * m)%N]mulnC. Qed.

Let f (i : I) q : R := if i is inl (k, b, l) then
  ((k \in q) && (odd #|~: q| == b))%:R * phi (even_lift (~: q)) 0 l else delta.

Let g (i : I) a : R := if i is inl (k, b, l) then
  (k \notin a)%:R * (r ^- #|a| * r ^+ (b (+) odd #|a|)) * psi (even_lift a) 0 l else 1.

Let reduction_sum q a : reduction_kernel q a = \sum_i f i q * g i a.
Proof.
rewrite big_sumType /= [X in _ = _ + X](big_pred1 tt) => [|[] //]; rewrite mulr1.
congr (_ + _).
transitivity (\sum_k \sum_b \sum_l f (inl (k, b, l)) q * g (inl (k, b, l)) a); last first.
  by rewrite !pair_bigA /=; apply: eq_bigr => -[[k b] l] _.
rewrite A_sum ?even_lift_even // mxE -sum1_card natr_sum mulr_suml big_mkcond.
apply: eq_bigr => k _; rewrite (bigD1 (odd #|~: q|)) //= [X in _ = _ + X]big1 => [|b b_neq].
  rewrite addr0 /f /g eqxx andbT inE andbC; case: (k \in q); case: (k \in a) => /=.
  - by rewrite big1 // => l _; rewrite !mul0r mulr0.
  - rewrite mul1r mulr_sumr; apply: eq_bigr => l _.
    by rewrite !mul1r mxE mulrCA.
  - by rewrite big1 // => l _; rewrite !mul0r.
  - by rewrite big1 // => l _; rewrite !mul0r.
by rewrite big1 // => l _; rewrite /f eq_sym (negbTE b_neq) andbF !mul0r.
Qed.

Lemma reduction_nonneg_features :
  (forall x l, 0 <= phi x 0 l) -> (forall y l, 0 <= psi y 0 l) ->
  has_nonneg_features (2 * m * D + 1) reduction_kernel.
Proof.
move=> phi_ge0 psi_ge0; rewrite -card_I -cardsT.
apply: (@nonneg_features_sum _ _ _ _ f g) => [[[[k b] l]|u] q|[[[k b] l]|u] a|q a] /=.
- by rewrite mulr_ge0 ?ler0n.
- exact: ltW.
- by rewrite !mulr_ge0 ?ler0n ?invr_ge0 ?exprn_ge0.
- exact: ler01.
by rewrite reduction_sum; apply: eq_bigl => i; rewrite inE.
Qed.

Lemma reduction_features : has_features (2 * m * D + 1) reduction_kernel.
Proof. by rewrite -card_I; apply: features_sum reduction_sum. Qed.

End Features.

(* R1. *)
Theorem noise_reduction D : has_features D A ->
  exists K : kernel R m, [/\ forall q a, 0 <= K q a,
    forall causal self, solves causal self tau (uniform K : pkernel R m n.+1) inner &
    has_features (2 * m * D + 1) K].
Proof.
case=> phi [psi A_sum]; exists reduction_kernel; split.
- exact: reduction_kernel_ge0.
- exact: reduction_solves.
- by apply: (@reduction_features _ phi psi) => x y _ _.
Qed.

(* R1 for non-negative features. *)
Theorem noise_reduction_nonneg D : has_nonneg_features D A ->
  exists K : kernel R m, [/\ forall q a, 0 <= K q a,
    forall causal self, solves causal self tau (uniform K : pkernel R m n.+1) inner &
    has_nonneg_features (2 * m * D + 1) K].
Proof.
case=> phi [psi [phi_ge0 psi_ge0 A_sum]]; exists reduction_kernel; split.
- exact: reduction_kernel_ge0.
- exact: reduction_solves.
- by apply: (@reduction_nonneg_features _ phi psi) => // x y _ _.
Qed.

End Reduction.

Lemma sqr_odd_le_exp3 j : (0 < j)%N -> ((2 * j - 1) ^ 2 <= 3 ^ j)%N.
Proof.
case: j => [//|[//|j]] _; elim: j => // j; rewrite [(3 ^ j.+3)%N]expnS.
have -> : (2 * j.+3 - 1 = (2 * j.+2 - 1) + 2)%N by clear; lia.
have : (3 <= 2 * j.+2 - 1)%N by clear; lia.
move: (2 * j.+2 - 1)%N (3 ^ _)%N => a x a_ge3; rewrite -!mulnn => a_le.
have : (3 * a <= a * a)%N by rewrite leq_mul.
by move: a_ge3 a_le; rewrite mulnDl !mulnDr; move: (a * a)%N; clear; lia.
Qed.

(* The hypothesis on the rate at length three, tolerance 1/2: rho^2 >= 3, rho = r^2. *)
Lemma noise_rate_three (R : realFieldType) (r : R) : 3%:R <= r ^+ 4 ->
  forall j, (0 < j)%N -> (3 - 2)%N%:R * (j%:R - 2%:R^-1) <= 2%:R^-1 * (r ^+ 2) ^+ j.
Proof.
move=> r4 j j_gt0; have rho_ge0 : 0 <= r ^+ 2 by rewrite sqr_ge0.
have odd_le : (2 * j - 1)%:R <= (r ^+ 2) ^+ j.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?ler0n ?(exprn_ge0 _ rho_ge0) //.
  apply: (@le_trans _ _ (3%:R ^+ j)); first by rewrite -!natrX ler_nat sqr_odd_le_exp3.
  have -> : ((r ^+ 2) ^+ j) ^+ 2 = (r ^+ 4) ^+ j by rewrite -!exprM; congr (_ ^+ _); clear; lia.
  apply: ler_expn2r; rewrite ?nnegrE ?ler0n //.
  exact: le_trans (ler0n _ _) r4.
rewrite mul1r -(@ler_pmul2l _ 2%:R) ?ltr0n //.
rewrite mulrBr mulrA divff ?pnatr_eq0 // mul1r.
by apply: le_trans odd_le; rewrite natrB ?natrM // muln_gt0.
Qed.
