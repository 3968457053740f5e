(******************************************************************************)
(* Decay: what solving says about a row of the kernel.                        *)
(* Length n.+1, n >= 2 competitors, position-dependent maps, causal or not,   *)
(* self included or excluded.                                                 *)
(*   kbar K q a  == sum over the competitors' positions j of K_j(q,a)         *)
(*   kself K q a == kbar K q a + K(q,q) at the query's own position if self   *)
(* inner_decay : kbar K q b < h n.+1 tau s * kbar K q a                       *)
(* free_decay  : kself K q b < h' s * kself K q a, h' with 2 tau for tau      *)
(* for t(q,b) = t(q,a) + s, where s > tau (inner) or s > 2 tau (free).        *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From KattnBounds Require Import defs rates.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Pattern.
Variables (m n : nat).
Implicit Types (q a b : token m) (i : 'I_n.+1).

(* The sequence (b, ..., b, a, b, ..., b, q), a at position i. *)
Definition pattern i q a b : sequence m n.+1 :=
  fun j => if j == ord_max then q else if j == i then a else b.

Lemma pattern_last i q a b : pattern i q a b ord_max = q.
Proof. by rewrite /pattern eqxx. Qed.

Lemma target_pattern causal self i q a b :
    i != ord_max -> (dot q a <= dot q b)%N ->
  target causal self (pattern i q a b) ord_max = dot q a.
Proof.
move=> i_neq le_ab; have att : attends causal self ord_max i.
  by rewrite attends_final i_neq orbT.
have pat_i : pattern i q a b i = a by rewrite /pattern (negbTE i_neq) eqxx.
rewrite (target_eq att) pattern_last pat_i // => k _.
by rewrite /pattern; case: ifP => _; [rewrite dotxx dot_le | case: ifP].
Qed.

End Pattern.

Lemma ratio_err (R : realFieldType) (N S y tau : R) :
  0 < S -> `|N / S - y| < tau -> `|N - y * S| < tau * S.
Proof.
move=> S_gt0; rewrite -(ltr_pmul2r S_gt0) -[X in _ * X < _](gtr0_norm S_gt0).
by rewrite -normrM mulrBl divfK ?gt_eqF.
Qed.

Section Sums.
Variables (R : realFieldType) (n : nat) (causal self : bool).
Implicit Types F : 'I_n.+1 -> R.

Lemma sum_attends F :
  \sum_(j | attends causal self ord_max j) F j =
  \sum_(j | j != ord_max) F j + (if self then F ord_max else 0).
Proof.
under eq_bigl => j do rewrite attends_final.
by case: self => /=; rewrite ?addr0 // (bigD1 ord_max) //= addrC.
Qed.

Lemma sum_competitors_const (c : R) : \sum_(j : 'I_n.+1 | j != ord_max) c = c *+ n.
Proof. by rewrite sumr_const cardC1 card_ord. Qed.

Lemma sum_competitors_others F :
  \sum_(i | i != ord_max) \sum_(j | (j != ord_max) && (j != i)) F j =
  (\sum_(j | j != ord_max) F j) *+ n.-1.
Proof.
under eq_bigr => i i_neq.
  have -> : \sum_(j | (j != ord_max) && (j != i)) F j =
            \sum_(j | j != ord_max) F j - F i.
    by rewrite [in RHS](bigD1 i) //= addrAC subrr add0r.
  over.
rewrite sumrB sum_competitors_const; case: n F => [|k] F.
  by rewrite mulr0n sub0r big_pred0 ?oppr0 // => j; rewrite [j]ord1.
by rewrite mulrSr addrK.
Qed.

Lemma sum_pattern m (i : 'I_n.+1) (q a b : token m) (F : 'I_n.+1 -> token m -> R) :
    i != ord_max ->
  \sum_(j | attends causal self ord_max j) F j (pattern i q a b j) =
  F i a + \sum_(j | (j != ord_max) && (j != i)) F j b +
  (if self then F ord_max q else 0).
Proof.
move=> i_neq; rewrite sum_attends pattern_last; congr (_ + _).
rewrite (bigD1 i) //= {1}/pattern (negbTE i_neq) eqxx; congr (_ + _).
by apply: eq_bigr => j /andP[/negbTE nmax /negbTE ni]; rewrite /pattern nmax ni.
Qed.

End Sums.

Section Decay.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1).
Hypothesis n_gt1 : (1 < n)%N.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis K_ge0 : nonneg K.
Implicit Types q a b : token m.

Definition kbar q a : R := \sum_(j | j != ord_max) K ord_max j q a.

Definition kself q a : R :=
  kbar q a + (if self then K ord_max ord_max q q else 0).

Lemma kbar_ge0 q a : 0 <= kbar q a.
Proof. exact: sumr_ge0. Qed.

Lemma kself_ge0 q a : 0 <= kself q a.
Proof. by rewrite addr_ge0 ?kbar_ge0 //; case: self. Qed.

Let ord0_neq : (ord0 : 'I_n.+1) != ord_max.
Proof. by rewrite -val_eqE /= eq_sym -lt0n ltnW. Qed.

Let nR : (n.+1 - 2)%N = n.-1. Proof. by rewrite subSS subn1. Qed.

Let n1_gt0 : 0 < (n.-1)%:R :> R.
Proof. by rewrite ltr0n -subn1 subn_gt0. Qed.

Section Inner.
Hypothesis tau_lt1 : tau < 1.
Hypothesis solK : solves causal self tau K inner.

Let step_at q a b s (i : 'I_n.+1) : i != ord_max ->
    dot q b = (dot q a + s)%N -> (0 < s)%N ->
  (s%:R - tau) * (\sum_(j | (j != ord_max) && (j != i)) K ord_max j q b) <
  tau * K ord_max i q a.
Proof.
move=> i_neq eq_ab s_gt0; have le_ab : (dot q a <= dot q b)%N.
  by rewrite eq_ab leq_addr.
have /answers_linear := solK (pattern i q a b).
move=> /(_ tau_gt0 (fun j => K_ge0 _ _ _ _)); rewrite target_pattern //.
rewrite pattern_last.
rewrite (sum_pattern _ _ _ _ _ (fun j c =>
   K ord_max j q c * ((dot q c)%:R - (dot q a)%:R - tau))) // => lin.
have self_ge0 : 0 <= (if self then K ord_max ord_max q q *
                        ((dot q q)%:R - (dot q a)%:R - tau) else 0).
  case: self => //; rewrite mulr_ge0 // -natrB ?dotxx ?dot_le //.
  rewrite subr_ge0 (le_trans (ltW tau_lt1)) // ler1n subn_gt0.
  by rewrite (leq_trans _ (dot_le q b)) // eq_ab -addn1 leq_add2l.
have {lin self_ge0} : K ord_max i q a * - tau +
    \sum_(j | (j != ord_max) && (j != i)) K ord_max j q b * (s%:R - tau) < 0.
  apply: le_lt_trans lin; rewrite subrr sub0r eq_ab natrD.
  by rewrite [_ + s%:R]addrC addrK ler_addl.
by rewrite -mulr_suml mulrN addrC subr_lt0 mulrC [tau * _]mulrC.
Qed.

Lemma inner_step q a b s : dot q b = (dot q a + s)%N -> tau < s%:R ->
  kbar q b < g n.+1 tau s * kbar q a.
Proof.
move=> eq_ab s_gt; have s_gt0 := part_gt0 tau_gt0 s_gt.
rewrite /g mulrAC ltr_pdivl_mulr ?nR ?mulr_gt0 ?subr_gt0 //.
have -> : kbar q b * (n.-1%:R * (s%:R - tau)) = (s%:R - tau) * (kbar q b *+ n.-1).
  by rewrite -[kbar q b *+ _]mulr_natr mulrA mulrC.
rewrite -subr_gt0 -sum_competitors_others !mulr_sumr -sumrB.
apply: (@sumr_gt0 _ _ (fun i => i != ord_max) _ ord0) => // i i_neq.
by rewrite subr_gt0 step_at.
Qed.

(* L1 (decay) and L2 in one. *)
Theorem inner_decay q a b s : dot q b = (dot q a + s)%N -> tau < s%:R ->
  kbar q b < h n.+1 tau s * kbar q a.
Proof. by apply: (chain tau_gt0 _ inner_step) => r; apply: g_gt0. Qed.

End Inner.

Section Free.
Variable V : pkernel R m n.+1.
Hypothesis solK : solves causal self tau K V.

Let w q (j : 'I_n.+1) a := K ord_max j q a.
Let v q (j : 'I_n.+1) a := K ord_max j q a * V ord_max j q a.

(* The sum of F over (b, ..., b, a, b, ..., b, q), a at i; over (a, ..., a, q). *)
Let mixed F (i : 'I_n.+1) q a b : R :=
  F i a + \sum_(j | (j != ord_max) && (j != i)) F j b +
  (if self then F ord_max q else 0).

Let full F q a : R :=
  \sum_(j : 'I_n.+1 | j != ord_max) F j a + (if self then F ord_max q else 0).

Let fullw q a : full (w q) q a = kself q a. Proof. by []. Qed.

Let mixed_const F i q a : i != ord_max -> mixed F i q a a = full F q a.
Proof. by move=> i_neq; rewrite /mixed /full [in RHS](bigD1 i). Qed.

Let sum_mixed F q a b :
  \sum_(i | i != ord_max) mixed F i q a b = full F q a + n.-1%:R * full F q b.
Proof.
rewrite !big_split /= sum_competitors_others sum_competitors_const /full.
move: (\sum_(_ | _) F _ a) (\sum_(_ | _) F _ b) (if self then _ else _) => A B C.
case: n n_gt1 => // k _; rewrite mulrS -[B *+ _]mulr_natl -[C *+ k]mulr_natl /=.
by ring.
Qed.

Let mixed_bound i q a b : i != ord_max -> (dot q a <= dot q b)%N ->
  0 < mixed (w q) i q a b /\
  `|mixed (v q) i q a b - (dot q a)%:R * mixed (w q) i q a b| <
    tau * mixed (w q) i q a b.
Proof.
move=> i_neq le_ab; have := solK (pattern i q a b).
rewrite /answers /head /normaliser target_pattern // pattern_last.
rewrite !(sum_pattern _ _ _ _ _ (w q)) // !(sum_pattern _ _ _ _ _ (v q)) //.
by case=> S_gt0 err; split; last exact: ratio_err.
Qed.

Lemma kself_gt0 q a : 0 < kself q a.
Proof.
by have [] := mixed_bound ord0_neq (leqnn (dot q a)); rewrite mixed_const.
Qed.

Lemma free_step q a b s : dot q b = (dot q a + s)%N -> 2%:R * tau < s%:R ->
  kself q b < g n.+1 (2%:R * tau) s * kself q a.
Proof.
move=> eq_ab s_gt; have le_ab : (dot q a <= dot q b)%N by rewrite eq_ab leq_addr.
rewrite /g mulrAC ltr_pdivl_mulr ?nR ?mulr_gt0 ?subr_gt0 //.
have [_] := mixed_bound ord0_neq (leqnn (dot q a)).
have [_] := mixed_bound ord0_neq (leqnn (dot q b)).
rewrite !mixed_const // !ltr_distl => /andP[lo_b _] /andP[lo_a _].
have : 0 < \sum_(i : 'I_n.+1 | i != ord_max) (((dot q a)%:R + tau) * mixed (w q) i q a b
    - mixed (v q) i q a b).
  apply: (@sumr_gt0 _ _ (fun i => i != ord_max) _ ord0) => // i i_neq.
  have [_] := mixed_bound i_neq le_ab.
  by rewrite ltr_distl => /andP[_]; rewrite mulrDl subr_gt0.
move: lo_a lo_b; rewrite -(subr_gt0 _ (full _ q a)) -(subr_gt0 _ (full _ q b)).
rewrite sumrB -mulr_sumr !sum_mixed.
rewrite !fullw eq_ab natrD; move: (full (v q) q a) (full (v q) q b) => fa fb.
move: (kself q a) (kself q b) (dot q a)%:R => ka kb ta lo_a lo_b lin.
rewrite -subr_gt0.
have -> : 2%:R * tau * ka - kb * (n.-1%:R * (s%:R - 2%:R * tau)) =
  (ta + tau) * (ka + n.-1%:R * kb) - (fa + n.-1%:R * fb) +
  (fa - (ta * ka - tau * ka)) +
  n.-1%:R * (fb - ((ta + s%:R) * kb - tau * kb)) by ring.
by apply: addr_gt0; [apply: addr_gt0 | apply: mulr_gt0].
Qed.

(* L3 (decay): tolerance tau with a free readout is like 2 tau without. *)
Theorem free_decay q a b s : dot q b = (dot q a + s)%N -> 2%:R * tau < s%:R ->
  kself q b < h n.+1 (2%:R * tau) s * kself q a.
Proof.
have tau2_gt0 : 0 < 2%:R * tau by rewrite mulr_gt0 ?ltr0n.
by apply: (chain tau2_gt0 _ free_step) => r; apply: g_gt0.
Qed.

End Free.

(* Few features of the head give few features of the two sums. *)
Section Features.
Variable D : nat.
Hypothesis featK : has_pfeatures D K.

Lemma kbar_features : has_features D kbar.
Proof.
have [phi [psi Kpp]] := featK.
exists (phi ord_max), (fun a => \sum_(j | j != ord_max) psi j a) => q a.
rewrite raddf_sum mulmx_sumr summxE.
by apply: eq_bigr => j _; rewrite Kpp.
Qed.

Lemma kself_features : has_features (D + self) kself.
Proof.
have [phi [psi Kpp]] := kbar_features.
pose c q : R := if self then K ord_max ord_max q q else 0.
exists (fun q => row_mx (phi q) (\row_(k < self) c q)).
exists (fun a => row_mx (psi a) (const_mx 1)) => q a.
rewrite tr_row_mx mul_row_col mxE /kself Kpp; congr (_ + _).
rewrite mxE /c; case: self => /=; last by rewrite big_ord0.
by rewrite big_ord1 !mxE mulr1.
Qed.

End Features.
End Decay.
