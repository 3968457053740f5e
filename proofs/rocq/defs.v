(******************************************************************************)
(* Minimum inner product by kernel attention: the definitions.                *)
(*                                                                            *)
(*          token m == a vector of {0,1}^m, as a subset of 'I_m               *)
(*          dot q a == the inner product of q and a                           *)
(*   sequence m n   == n tokens, indexed by their positions                   *)
(*   kernel R m     == a real matrix indexed by pairs (query, token)          *)
(*   pkernel R m n  == position-dependent: pK i j q a, the query at i, the    *)
(*                     token at j                                             *)
(*   uniform K      == the same kernel K at all positions                     *)
(*   attends causal self i j == the query at i attends to position j          *)
(*   normaliser, head, target == the sum of the weights, the output, and the  *)
(*                     minimum of the attended inner products                 *)
(*   answers tau pK V x i == positive normaliser, and error below tau         *)
(*   solves tau pK V == answers at the last position of every sequence        *)
(*   solves_everywhere == answers at every position that attends somewhere    *)
(*   inner          == the inner-product readout, V i j q a = dot q a         *)
(*   has_features D K == K is a matrix of inner products of D features        *)
(*   has_nonneg_features D K == the same with non-negative features           *)
(*   has_pfeatures D pK == the same for position-dependent maps               *)
(*   kmx K          == K as a square matrix of order 2^m; the least number of *)
(*                     features is its rank (has_featuresP)                   *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Notation token m := {set 'I_m}.

Definition dot m (q a : token m) : nat := #|q :&: a|.

Definition sequence m n := 'I_n -> token m.
Definition kernel (R : Type) m := token m -> token m -> R.
Definition pkernel (R : Type) m n := 'I_n -> 'I_n -> kernel R m.

Definition uniform (R : Type) m n (K : kernel R m) : pkernel R m n :=
  fun _ _ => K.

Section Head.
Variables (R : realFieldType) (m n : nat) (causal self : bool).
Implicit Types (K V : pkernel R m n) (x : sequence m n) (i j : 'I_n).

Definition attends i j : bool :=
  (causal ==> (j <= i)%N) && (self || (j != i)).

Definition normaliser K x i : R := \sum_(j | attends i j) K i j (x i) (x j).

Definition head K V x i : R :=
  (\sum_(j | attends i j) K i j (x i) (x j) * V i j (x i) (x j))
    / normaliser K x i.

Definition target x i : nat := \big[minn/m]_(j | attends i j) dot (x i) (x j).

Definition answers (tau : R) K V x i : Prop :=
  0 < normaliser K x i /\ `|head K V x i - (target x i)%:R| < tau.

End Head.

Section Solves.
Variables (R : realFieldType) (m n : nat) (causal self : bool).
Implicit Types (K V : pkernel R m n.+1) (D : nat).

Definition solves (tau : R) K V : Prop :=
  forall x : sequence m n.+1, answers causal self tau K V x ord_max.

Definition solves_everywhere (tau : R) K V : Prop :=
  forall (x : sequence m n.+1) i,
    [exists j, attends causal self i j] -> answers causal self tau K V x i.

Definition nonneg K : Prop := forall i j q a, 0 <= K i j q a.

Definition has_pfeatures D K : Prop :=
  exists phi psi : 'I_n.+1 -> token m -> 'rV[R]_D,
  forall i j q a, K i j q a = (phi i q *m (psi j a)^T) 0 0.

End Solves.

Definition inner (R : realFieldType) m n : pkernel R m n :=
  fun _ _ q a => (dot q a)%:R.
Arguments inner {R m n}.

Section Features.
Variables (R : realFieldType) (m : nat).
Implicit Types (K : kernel R m) (D : nat).

Definition has_features D K : Prop :=
  exists phi psi : token m -> 'rV[R]_D,
  forall q a, K q a = (phi q *m (psi a)^T) 0 0.

Definition has_nonneg_features D K : Prop :=
  exists phi psi : token m -> 'rV[R]_D,
  [/\ forall q k, 0 <= phi q 0 k, forall a k, 0 <= psi a 0 k &
      forall q a, K q a = (phi q *m (psi a)^T) 0 0].

Definition kmx K : 'M[R]_#|{set 'I_m}| :=
  \matrix_(i, j) K (enum_val i) (enum_val j).

Lemma kmxE K q a : kmx K (enum_rank q) (enum_rank a) = K q a.
Proof. by rewrite mxE !enum_rankK. Qed.

Lemma nonneg_features_features D K :
  has_nonneg_features D K -> has_features D K.
Proof. by case=> phi [psi [_ _ Kpp]]; exists phi, psi. Qed.

Lemma features_uniform n D K :
  has_features D K -> has_pfeatures D (uniform K : pkernel R m n.+1).
Proof. by case=> phi [psi Kpp]; exists (fun _ => phi), (fun _ => psi). Qed.

Lemma has_features_mx D K :
  has_features D K <-> exists (P : 'M[R]_(_, D)) (Q : 'M_(D, _)), kmx K = P *m Q.
Proof.
split=> [[phi [psi Kpp]] | [P [Q KPQ]]].
  exists (\matrix_i phi (enum_val i)), (\matrix_i psi (enum_val i))^T.
  apply/matrixP => i j; rewrite mxE Kpp !mxE.
  by apply: eq_bigr => k _; rewrite !mxE.
exists (fun q => row (enum_rank q) P), (fun a => (col (enum_rank a) Q)^T) => q a.
rewrite -kmxE KPQ trmxK !mxE.
by apply: eq_bigr => k _; rewrite !mxE.
Qed.

(* The least number of features of a kernel is the rank of its matrix. *)
Lemma has_featuresP D K : has_features D K <-> (\rank (kmx K) <= D)%N.
Proof.
rewrite has_features_mx; split=> [[P [Q ->]] | rkK].
  exact: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
pose A := kmx K; pose P : 'M[R]_(\rank A, D) := pid_mx (\rank A).
exists (col_base A *m P), (P^T *m row_base A).
rewrite mulmxA -(mulmxA _ P) tr_pid_mx mul_pid_mx minnn (minn_idPr rkK).
by rewrite pid_mx_1 mulmx1 mulmx_base.
Qed.

(* A matrix read off a kernel with D features has rank at most D. *)
Lemma features_rank D K p r (q : 'I_p -> token m) (a : 'I_r -> token m) :
  has_features D K -> (\rank (\matrix_(i, j) K (q i) (a j)) <= D)%N.
Proof.
case=> phi [psi Kpp].
have -> : \matrix_(i, j) K (q i) (a j) =
          (\matrix_i phi (q i)) *m (\matrix_j psi (a j))^T.
  apply/matrixP => i j; rewrite mxE Kpp !mxE.
  by apply: eq_bigr => k _; rewrite !mxE.
exact: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
Qed.

End Features.

(* P4: a causal mask does not restrict the final query. *)
Lemma attends_final n causal self (j : 'I_n.+1) :
  attends causal self ord_max j = self || (j != ord_max).
Proof. by rewrite /attends -ltnS ltn_ord implybT. Qed.

Lemma answers_final (R : realFieldType) m n causal self (tau : R)
    (K V : pkernel R m n.+1) x :
  answers causal self tau K V x ord_max <-> answers false self tau K V x ord_max.
Proof.
have e (j : 'I_n.+1) : attends causal self ord_max j = attends false self ord_max j.
  by rewrite !attends_final.
by rewrite /answers /head /normaliser /target !(eq_bigl _ _ e).
Qed.

Lemma solves_causal (R : realFieldType) m n causal self (tau : R)
    (K V : pkernel R m n.+1) :
  solves causal self tau K V <-> solves false self tau K V.
Proof.
have e x := answers_final causal self tau K V x.
by split=> solK x; [case: (e x) => + _ | case: (e x) => _ +]; apply; apply: solK.
Qed.

(* P4: a head that answers at every position answers at the last one. *)
Lemma solves_everywhere_final (R : realFieldType) m n causal self (tau : R)
    (K V : pkernel R m n.+2) :
  solves_everywhere causal self tau K V -> solves causal self tau K V.
Proof.
move=> solK x; apply: solK; apply/existsP; exists ord0.
by rewrite attends_final orbT.
Qed.

Section Dot.
Variable m : nat.
Implicit Types q a b : token m.

Lemma dot_le q a : (dot q a <= #|q|)%N.
Proof. exact: subset_leq_card (subsetIl q a). Qed.

Lemma dotxx q : dot q q = #|q|.
Proof. by rewrite /dot setIid. Qed.

Lemma dotC q a : dot q a = dot a q.
Proof. by rewrite /dot setIC. Qed.

Lemma dot_leq_m q a : (dot q a <= m)%N.
Proof. by rewrite (leq_trans (max_card _)) ?card_ord. Qed.

Lemma dot0 q : dot q set0 = 0%N.
Proof. by rewrite /dot setI0 cards0. Qed.

(* Tokens of every level up to that of q exist. *)
Lemma dot_subset q d : (d <= #|q|)%N -> exists2 a : token m, a \subset q & dot q a = d.
Proof.
move=> d_le; exists [set i in take d (enum q)].
  by apply/subsetP => i; rewrite inE => /mem_take; rewrite mem_enum.
rewrite /dot (setIidPr _); last first.
  by apply/subsetP => i; rewrite inE => /mem_take; rewrite mem_enum.
by rewrite cardsE (card_uniqP (take_uniq d (enum_uniq q))) size_takel -?cardE.
Qed.

End Dot.

Lemma bigminn_le (I : eqType) (r : seq I) (P : pred I) (F : I -> nat) d j :
  j \in r -> P j -> (\big[minn/d]_(k <- r | P k) F k <= F j)%N.
Proof.
elim: r => //= k r IHr; rewrite inE big_cons => /predU1P[<- ->|].
  exact: geq_minl.
move=> jr Pj; case: ifP => _; last exact: IHr.
exact: leq_trans (geq_minr _ _) (IHr jr Pj).
Qed.

Section Target.
Variables (m n : nat) (causal self : bool) (x : sequence m n) (i : 'I_n).

Lemma target_le j :
  attends causal self i j -> (target causal self x i <= dot (x i) (x j))%N.
Proof. by move=> att; apply: bigminn_le (mem_index_enum j) att. Qed.

Lemma target_ge d : (d <= m)%N ->
    (forall j, attends causal self i j -> (d <= dot (x i) (x j))%N) ->
  (d <= target causal self x i)%N.
Proof.
move=> d_le dP; apply: (big_ind (fun e => d <= e)%N) => // e f.
by rewrite leq_min => -> ->.
Qed.

(* The target is the inner product with a least attended token. *)
Lemma target_eq j : attends causal self i j ->
    (forall k, attends causal self i k -> (dot (x i) (x j) <= dot (x i) (x k))%N) ->
  target causal self x i = dot (x i) (x j).
Proof.
move=> att le_j; apply/eqP; rewrite eqn_leq target_le //=.
exact: target_ge (dot_leq_m _ _) le_j.
Qed.

End Target.

(* The linear inequality: for the inner-product readout and a non-negative    *)
(* kernel, answering is linear in the kernel (and implies a positive          *)
(* normaliser).                                                               *)
Section Linear.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Hypothesis tau_gt0 : 0 < tau.
Variables (K : pkernel R m n) (x : sequence m n) (i : 'I_n).
Hypothesis K_ge0 : forall j, 0 <= K i j (x i) (x j).

Let w j := K i j (x i) (x j).
Let d j : R := (dot (x i) (x j))%:R.
Let y : R := (target causal self x i)%:R.

Lemma answers_linear :
  answers causal self tau K inner x i <->
  \sum_(j | attends causal self i j) w j * (d j - y - tau) < 0.
Proof.
set A := attends causal self i.
have -> : \sum_(j | A j) w j * (d j - y - tau) =
          \sum_(j | A j) w j * d j - (y + tau) * \sum_(j | A j) w j.
  rewrite mulr_sumr -sumrB; apply: eq_bigr => j _.
  by rewrite -addrA -opprD mulrBr [_ * w j]mulrC.
rewrite /answers /head /normaliser -/A -/y -/(w _).
have -> : \sum_(j | A j) K i j (x i) (x j) * inner i j (x i) (x j) =
          \sum_(j | A j) w j * d j by [].
set S := \sum_(j | A j) _; set N := \sum_(j | A j) _; rewrite subr_lt0.
split=> [[S_gt0]|N_lt].
  by rewrite ltr_distl => /andP[_]; rewrite ltr_pdivr_mulr.
have yS_le : y * S <= N.
  rewrite mulr_sumr; apply: ler_sum => j Aj; rewrite mulrC.
  by rewrite ler_wpmul2l ?ler_nat ?target_le.
have S_gt0 : 0 < S.
  by rewrite -(pmulr_rgt0 _ tau_gt0) -(ltr_add2l (y * S)) addr0 -mulrDl
             (le_lt_trans yS_le).
split=> //; rewrite ger0_norm ?subr_ge0 ?ler_pdivl_mulr //.
by rewrite ltr_subl_addl ltr_pdivr_mulr.
Qed.

End Linear.
