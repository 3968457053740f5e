(******************************************************************************)
(* Binary tries for the executable checkers: sets of bit strings, and formal  *)
(* sums with integer coefficients.                                            *)
(*        trie B == a binary tree with a B in every node, addressed by paths  *)
(*      tget t s == what stands at the path s                                 *)
(*  tput f s t   == t with f applied to what stands at the path s             *)
(*    sum_zero path l == the formal sum l cancels; equal keys need equal      *)
(*                  paths for the test to succeed, nothing else matters       *)
(*   sum_zeroP : a formal sum that cancels is 0 under every valuation         *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra ssrZ ring.
From KattnBounds Require Import check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Trie.
Variables (B : Type) (d : B).

Inductive trie := Leaf | Node (l : trie) (b : B) (r : trie).

Fixpoint tget (t : trie) (s : seq bool) : B :=
  if t is Node l b r then
    match s with [::] => b | true :: s' => tget r s' | false :: s' => tget l s' end
  else d.

Fixpoint tput (f : B -> B) (s : seq bool) (t : trie) : trie :=
  let: (l, b, r) := if t is Node l b r then (l, b, r) else (Leaf, d, Leaf) in
  match s with
  | [::] => Node l (f b) r
  | true :: s' => Node l b (tput f s' r)
  | false :: s' => Node (tput f s' l) b r
  end.

Lemma tget_put f s t s' : tget (tput f s t) s' = if s' == s then f (tget t s) else tget t s'.
Proof.
have leaf u : tget Leaf u = d by case: u.
elim: s t s' => [|c s IHs] [|l b r] [|c' s'] //=; first by case: c'.
- by case: c.
- by case: c; case: c' => //=; rewrite IHs leaf.
- by case: c.
by case: c; case: c' => //=; rewrite IHs.
Qed.

End Trie.

Section FormalSums.
Variables (T : eqType) (path : T -> seq bool).
Notation terms := (seq (T * Z)).

Fixpoint put_term (k : T) (z : Z) (l : terms) : terms :=
  if l is p :: l' then
    if p.1 == k then (k, (z + p.2)%bZ) :: l' else p :: put_term k z l'
  else [:: (k, z)].

Definition sum_trie (l : terms) : trie terms :=
  foldr (fun p t => tput [::] (put_term p.1 p.2) (path p.1) t) (Leaf _) l.

Fixpoint trie_zero (t : trie terms) : bool :=
  if t is Node l b r then
    [&& all (fun p => p.2 =? 0)%bZ b, trie_zero l & trie_zero r]
  else true.

Definition sum_zero (l : terms) : bool := trie_zero (sum_trie l).

Variables (R : realFieldType) (F : T -> R).

Definition formal (l : terms) : R := \sum_(p <- l) zr R p.2 * F p.1.

Fixpoint trie_sum (t : trie terms) : R :=
  if t is Node l b r then formal b + (trie_sum l + trie_sum r) else 0.

Lemma formal_cons p l : formal (p :: l) = zr R p.2 * F p.1 + formal l.
Proof. exact: big_cons. Qed.

Lemma formal_cat l l' : formal (l ++ l') = formal l + formal l'.
Proof. exact: big_cat. Qed.

Lemma formal_scale x l : formal [seq (p.1, (x * p.2)%bZ) | p <- l] = zr R x * formal l.
Proof. by rewrite /formal big_map mulr_sumr; apply: eq_bigr => p _; rewrite zrM mulrA. Qed.

Lemma formal_put_term k z l : formal (put_term k z l) = zr R z * F k + formal l.
Proof.
elim: l => [|[k' z'] l IHl] /=; first by rewrite formal_cons.
case: eqP => [->|_]; rewrite !formal_cons ?IHl /=; last by rewrite addrCA.
by rewrite zrD mulrDl addrA.
Qed.

Lemma trie_sum_put k z s t :
  trie_sum (tput [::] (put_term k z) s t) = zr R z * F k + trie_sum t.
Proof.
have nil0 : formal [::] = 0 by exact: big_nil.
elim: s t => [|c s IHs] [|l b r] /=; last 2 first.
- by case: c => /=; rewrite IHs nil0 /=; ring.
- by case: c => /=; rewrite IHs; ring.
- by rewrite formal_cons nil0 /=; ring.
by rewrite formal_put_term; ring.
Qed.

Lemma trie_sum0 t : trie_zero t -> trie_sum t = 0.
Proof.
elim: t => //= l IHl b r IHr /and3P[/allP b0 /IHl-> /IHr->]; rewrite !addr0.
by rewrite /formal big_seq big1 // => p /b0/Z.eqb_eq->; rewrite mul0r.
Qed.

Lemma sum_zeroP l : sum_zero l -> formal l = 0.
Proof.
move/trie_sum0 => <-; elim: l => [|p l IHl]; first exact: big_nil.
by rewrite formal_cons IHl /= trie_sum_put.
Qed.

End FormalSums.
