(******************************************************************************)
(* Binary integers for the executable checkers.                               *)
(*      zr z        == the binary integer z in the ordered field R            *)
(*      tok m s     == the token with bits s                                  *)
(*      bits a      == the bits of a token                                    *)
(*      all_bits m  == the bits of all tokens, in the order of the tokens     *)
(*                     read as binary numbers                                 *)
(*      zdot s t    == the inner product of two tokens given by bits          *)
(*      pascal k    == the k-th row of Pascal's triangle                      *)
(*      lower_bound, upper_bound == what a certificate claims                 *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Delimit Scope Z_scope with bZ.
Local Open Scope ring_scope.

Section Embedding.
Variable R : realFieldType.

Definition zr (z : Z) : R := (int_of_Z z)%:~R.

Lemma zr0 : zr 0%bZ = 0. Proof. by []. Qed.
Lemma zr1 : zr 1%bZ = 1. Proof. by []. Qed.
Lemma zrD x y : zr (x + y)%bZ = zr x + zr y.
Proof. by rewrite /zr -[(x + y)%bZ]/(GRing.add x y) rmorphD /= intrD. Qed.
Lemma zrN x : zr (- x)%bZ = - zr x.
Proof. by rewrite /zr -[(- x)%bZ]/(GRing.opp x) rmorphN /= mulrNz. Qed.
Lemma zrB x y : zr (x - y)%bZ = zr x - zr y.
Proof. by rewrite zrD zrN. Qed.
Lemma zrM x y : zr (x * y)%bZ = zr x * zr y.
Proof. by rewrite /zr -[(x * y)%bZ]/(GRing.mul x y) rmorphM /= intrM. Qed.
Lemma zr_nat n : zr (Z.of_nat n) = n%:R.
Proof. by rewrite /zr (_ : int_of_Z (Z.of_nat n) = Posz n) //; lia. Qed.

Lemma zr_le x y : (x <=? y)%bZ -> zr x <= zr y.
Proof. by move=> xy; rewrite ler_int; lia. Qed.
Lemma zr_lt x y : (x <? y)%bZ -> zr x < zr y.
Proof. by move=> xy; rewrite ltr_int; lia. Qed.
Lemma zr_gt0 x : (0 <? x)%bZ -> 0 < zr x.
Proof. exact: (@zr_lt 0%bZ x). Qed.
Lemma zr_ge0 x : (0 <=? x)%bZ -> 0 <= zr x.
Proof. exact: (@zr_le 0%bZ x). Qed.
Lemma zr_leE x y : (zr x <= zr y) = (x <=? y)%bZ.
Proof. by apply/idP/idP; rewrite ler_int; lia. Qed.
Lemma zr_ltE x y : (zr x < zr y) = (x <? y)%bZ.
Proof. by apply/idP/idP; rewrite ltr_int; lia. Qed.

End Embedding.

Section Bits.
Variable m : nat.

Definition tok (s : seq bool) : token m := [set i : 'I_m | nth false s i].
Definition bits (a : token m) : seq bool := [seq i \in a | i <- enum 'I_m].

Lemma size_bits a : size (bits a) = m.
Proof. by rewrite size_map size_enum_ord. Qed.

Lemma bitsK : cancel bits tok.
Proof.
move=> a; apply/setP => i; rewrite inE (nth_map i) ?size_enum_ord //.
by rewrite nth_ord_enum.
Qed.

Definition zcount (s : seq bool) : Z := foldr (fun b n => if b then Z.succ n else n) 0%bZ s.
Definition zdot (s t : seq bool) : Z := zcount [seq p.1 && p.2 | p <- zip s t].

Lemma zcountE s : zcount s = Z.of_nat (count id s).
Proof. by elim: s => //= b s ->; case: b; lia. Qed.

Lemma card_tok s : size s = m -> #|tok s| = count id s.
Proof.
move=> size_s; rewrite -sum1_card -sum1_count (big_nth false) size_s big_mkord.
by apply: eq_bigl => i; rewrite inE.
Qed.
End Bits.

Lemma zdotE m s t : size s = m -> size t = m ->
  zdot s t = Z.of_nat (dot (tok m s) (tok m t)).
Proof.
move=> size_s size_t; rewrite /zdot zcountE -(@card_tok m); last first.
  by rewrite size_map size_zip size_s size_t minnn.
congr (Z.of_nat _); rewrite /dot; apply: eq_card => i; rewrite !inE.
by rewrite (nth_map (false, false)) ?size_zip ?size_s ?size_t ?minnn // nth_zip ?size_s.
Qed.

Lemma zcount_card m s : size s = m -> zcount s = Z.of_nat #|tok m s|.
Proof. by move=> size_s; rewrite zcountE card_tok. Qed.

Fixpoint all_bits (m : nat) : seq (seq bool) :=
  if m is k.+1 then map (cons false) (all_bits k) ++ map (cons true) (all_bits k)
  else [:: [::]].

Lemma all_bitsP m s : (s \in all_bits m) = (size s == m).
Proof.
elim: m s => [|m IHm] s; first by rewrite inE; case: s.
rewrite /= mem_cat; case: s => [|b s].
  by apply/negbTE; rewrite negb_or; apply/andP; split; apply/mapP => -[].
rewrite eqSS -IHm; have inj (c : bool) : injective (cons c) by move=> ? ? [].
have neq (c d : bool) A : c != d -> (c :: s \in map (cons d) A) = false.
  by move=> ne; apply/negbTE/mapP => -[t _ [e _]]; rewrite e eqxx in ne.
by case: b; rewrite mem_map // neq // ?orbF.
Qed.

Lemma bits_in m (a : token m) : bits a \in all_bits m.
Proof. by rewrite all_bitsP size_bits. Qed.

(* Pascal's triangle, by additions. *)
Definition pascal_step (r : seq Z) : seq Z :=
  [seq (p.1 + p.2)%bZ | p <- zip (0%bZ :: r) (rcons r 0%bZ)].

Definition pascal (k : nat) : seq Z := iter k pascal_step [:: 1%bZ].

Lemma size_pascal k : size (pascal k) = k.+1.
Proof. by elim: k => //= k IHk; rewrite size_map size_zip /= size_rcons minnn IHk. Qed.

Lemma nth_pascal k s : nth 0%bZ (pascal k) s = Z.of_nat 'C(k, s).
Proof.
elim: k s => [|k IHk] s; first by case: s => [|[|s]].
have [s_gt|s_le] := ltnP k.+1 s.
  by rewrite nth_default ?size_pascal // bin_small.
rewrite (nth_map (0%bZ, 0%bZ)) ?size_zip /= ?size_rcons ?minnn ?size_pascal //.
rewrite nth_zip /= ?size_rcons // nth_rcons size_pascal.
case: s s_le => [_|s s_le] /=; first by rewrite IHk !bin0.
rewrite binS IHk; set y := (if _ then _ else _).
have -> : y = Z.of_nat 'C(k, s.+1); last by lia.
rewrite /y; case: ltngtP => [_|s_gt|s_eq]; rewrite ?IHk // bin_small //; lia.
Qed.

(* The tolerance tn/td. *)
Definition ztau (R : realFieldType) (tn td : Z) : R := zr R tn / zr R td.

(* What a lower-bound certificate claims: every non-negative kernel that      *)
(* solves has at least [value] features.  Position-dependent, causal or not.  *)
Definition lower_bound (m n : nat) (tn td : Z) (self : bool) (value : nat) : Prop :=
  forall (R : realFieldType) (causal : bool) n' (K : pkernel R m n'.+1) D,
    n = n'.+1 -> nonneg K -> solves causal self (ztau R tn td) K inner ->
    has_pfeatures D K -> (value <= D)%N.

(* The same for free readouts. *)
Definition lower_bound_free (m n : nat) (tn td : Z) (self : bool) (value : nat) : Prop :=
  forall (R : realFieldType) (causal : bool) n' (K V : pkernel R m n'.+1) D,
    n = n'.+1 -> nonneg K -> solves causal self (ztau R tn td) K V ->
    has_pfeatures D K -> (value <= D)%N.

(* The same for kernels that do not depend on positions. *)
Definition lower_bound_uniform (m n : nat) (tn td : Z) (self : bool) (value : nat) : Prop :=
  forall (R : realFieldType) (causal : bool) n' (K : kernel R m) D,
    n = n'.+1 -> (forall q a, 0 <= K q a) ->
    solves causal self (ztau R tn td) (uniform K : pkernel R m n'.+1) inner ->
    has_features D K -> (value <= D)%N.

(* What an upper-bound certificate claims. *)
Definition upper_bound (m n : nat) (tn td : Z) (self signed : bool) (value : nat) : Prop :=
  forall (R : realFieldType) (causal : bool) n', n = n'.+1 ->
  exists K : kernel R m,
    [/\ forall q a, 0 <= K q a,
        solves causal self (ztau R tn td) (uniform K : pkernel R m n'.+1) inner &
        if signed then has_features value K else has_nonneg_features value K].
