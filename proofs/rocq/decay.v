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
    by rewrite [in RHS](bigD1 i) //= addrC addrK.
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
have {lin self_ge0} := le_lt_trans (lerDl' self_ge0) lin.
Admitted.

End Inner.
End Decay.
