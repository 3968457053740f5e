(******************************************************************************)
(* Pair certificates (L5): dominance and trace, with weights.                 *)
(*   weighted_trace     : (sum x_i y_i)^2 <= D sum (x_i y_j h(gap_ij))^2      *)
(*   weighted_dominance : sum over j != i of h(gap_ij) d_j <= d_i gives N <= D*)
(*   check_dominance, check_trace and their soundness                         *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import linalg defs rates decay family check_base check_layer.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Weighted.
Variables (R : realFieldType) (m D N : nat) (K : kernel R m).
Variables (q a : 'I_N -> token m) (H : 'I_N -> 'I_N -> R) (x y : 'I_N -> R).
Hypothesis K_ge0 : forall p b, 0 <= K p b.
Hypothesis K_gt0 : forall i, 0 < K (q i) (a i).
Hypothesis featK : has_features D K.
Hypotheses (x_ge0 : forall i, 0 <= x i) (y_ge0 : forall i, 0 <= y i).
Hypothesis ratio : forall i j, i != j -> x i * y j != 0 ->
  K (q i) (a j) < H i j * K (q i) (a i).

Let A : 'M[R]_N := \matrix_(i, j) (x i * (K (q i) (a j) / K (q i) (a i)) * y j).

Let rank_A : (\rank A <= D)%N.
Proof.
have -> : A = diag_mx (\row_i (x i / K (q i) (a i))) *m \matrix_(i, j) K (q i) (a j)
              *m diag_mx (\row_j y j).
  apply/matrixP => i j; rewrite mul_mx_diag mul_diag_mx !mxE; congr (_ * _).
  by rewrite mulrA mulrAC.
apply: leq_trans (mxrankM_maxl _ _) _.
exact: leq_trans (mxrankM_maxr _ _) (features_rank q a featK).
Qed.

Let A_diag i : A i i = x i * y i.
Proof. by rewrite mxE divff ?mulr1 ?gt_eqF. Qed.

Let A_ge0 i j : 0 <= A i j.
Proof. by rewrite mxE !mulr_ge0 // invr_ge0 ltW. Qed.

Let A_lt i j : i != j -> x i * y j != 0 -> A i j < x i * H i j * y j.
Proof.
move=> ne xy_neq0; rewrite mxE mulrAC [x i * H i j * y j]mulrAC.
by rewrite ltr_pmul2l ?ltr_pdivr_mulr ?ratio // lt_neqAle eq_sym xy_neq0 mulr_ge0.
Qed.

Let A_le i j : i != j -> A i j <= x i * y j * H i j.
Proof.
move=> ne; have [xy0|xy_neq0] := eqVneq (x i * y j) 0.
  by rewrite mxE mulrAC xy0 !mul0r.
by rewrite mulrAC ltW // A_lt.
Qed.

Theorem weighted_trace :
  (\sum_i x i * y i) ^+ 2 <=
  D%:R * \sum_i \sum_j (x i * y j * (if i == j then 1 else H i j)) ^+ 2.
Proof.
have tr_A : \tr A = \sum_i x i * y i by apply: eq_bigr => i _; rewrite A_diag.
have := rank_trace A; rewrite tr_A => /le_trans; apply.
apply: ler_pmul; rewrite ?ler0n ?sqnorm_ge0 ?ler_nat //.
apply: ler_sum => i _; apply: ler_sum => j _.
have [<-|ne] := eqVneq i j; first by rewrite A_diag mulr1.
by apply: ler_expn2r; rewrite ?nnegrE ?A_le // (le_trans (A_ge0 i j)) ?A_le.
Qed.

Theorem weighted_dominance : (forall i, 0 < x i * y i) ->
  (forall i, \sum_(j | j != i) x i * y j * H i j <= x i * y i) -> (N <= D)%N.
Proof.
move=> xy_gt0 dom; rewrite -(@dominant_full_rank _ _ A) // => i.
rewrite A_diag (gtr0_norm (xy_gt0 i)).
have pos j : x i * y j != 0.
  have := xy_gt0 i; have := xy_gt0 j; rewrite !lt_neqAle ![0 == _]eq_sym.
  by rewrite !mulf_eq0 !negb_or => /andP[/andP[_ ->] _] /andP[/andP[-> _] _].
have [/existsP[j0 j0_neq]|none] := boolP [exists j, j != i]; last first.
  by rewrite big_pred0 // => j; apply: contraNF none => j_neq; apply/existsP; exists j.
apply: lt_le_trans (dom i); rewrite -subr_gt0 -sumrB.
apply: (@sumr_gt0 _ _ (fun j => j != i) _ j0) => // j j_neq.
by rewrite subr_gt0 ger0_norm // mulrAC A_lt // eq_sym.
Qed.

End Weighted.

Record pairs_cert := PairsCert {
  pr_m : nat; pr_n : Z; pr_tn : Z; pr_td : Z; pr_self : bool; pr_value : nat;
  pr_pairs : seq (seq bool * seq bool); pr_x : seq Z; pr_y : seq Z }.

Section Check.
Variable c : pairs_cert.
Let m := pr_m c.
Let N := size (pr_pairs c).

Definition pr_L : Z := common_den (pr_n c) (pr_tn c) (pr_td c).
Definition pr_parts := part_weights (pr_n c) (pr_tn c) (pr_td c).
Definition pr_q i := (nth ([::], [::]) (pr_pairs c) i).1.
Definition pr_a i := (nth ([::], [::]) (pr_pairs c) i).2.
Definition pr_gap i j : Z := (zdot (pr_q i) (pr_a j) - zdot (pr_q i) (pr_a i))%bZ.

(* h(s) L^m; zero stands for what the table does not have. *)
Definition scaled_table (hs : seq (option Z)) : seq Z :=
  [seq (if nth None hs (m - s) is Some v then v * pr_L ^ Z.of_nat (m - s) else 0)%bZ
     | s <- iota 0 m.+1].

(* x_i y_j h(gap_ij) L^m, None where it is not defined. *)
Definition pair_entry (tab : seq Z) i j : option Z :=
  let w := (nth 0%bZ (pr_x c) i * nth 0%bZ (pr_y c) j)%bZ in
  if i == j then Some (w * pr_L ^ Z.of_nat m)%bZ else
  if (w =? 0)%bZ then Some 0%bZ else
  let s := pr_gap i j in
  if (0 <? s)%bZ then Some (w * nth 0%bZ tab (Z.to_nat s))%bZ else None.

Definition pairs_common (hs : seq (option Z)) : bool :=
  [&& (2 <? pr_n c)%bZ, (0 <? pr_tn c)%bZ, (0 <? pr_td c)%bZ, (pr_tn c <? pr_td c)%bZ,
      parts_ok (pr_n c) (pr_tn c) (pr_td c) pr_L pr_parts,
      all (fun i => isSome (nth None hs i)) (iota 0 m.+1),
      all (fun p => (size p.1 == m) && (size p.2 == m)) (pr_pairs c),
      all (fun i => (zdot (pr_q i) (pr_a i) <? zcount (pr_q i))%bZ) (iota 0 N),
      all (Z.leb 0) (pr_x c) & all (Z.leb 0) (pr_y c)].

Definition zsum (s : seq Z) : Z := foldr Z.add 0%bZ s.

Definition check_trace : bool :=
  let hs := htable pr_parts m in
  let tab := scaled_table hs in
  let entries := [seq [seq pair_entry tab i j | j <- iota 0 N] | i <- iota 0 N] in
  let W := zsum [seq zsum [seq (odflt 0 e * odflt 0 e)%bZ | e <- row] | row <- entries] in
  let S := (zsum [seq (nth 0 (pr_x c) i * nth 0 (pr_y c) i)%bZ | i <- iota 0 N]
             * pr_L ^ Z.of_nat m)%bZ in
  [&& pairs_common hs, all (all isSome) entries, (0 < pr_value c)%N
    & (Z.of_nat (pr_value c).-1 * W <? S * S)%bZ].

Definition check_dominance : bool :=
  let hs := htable pr_parts m in
  let tab := scaled_table hs in
  [&& pairs_common hs, (pr_value c <= N)%N &
   all (fun i =>
     let row := [seq pair_entry tab i j | j <- iota 0 N & j != i] in
     [&& (0 <? nth 0%bZ (pr_x c) i * nth 0%bZ (pr_y c) i)%bZ, all isSome row
       & (zsum [seq odflt 0%bZ e | e <- row]
            <=? nth 0%bZ (pr_x c) i * nth 0%bZ (pr_y c) i * pr_L ^ Z.of_nat m)%bZ])
     (iota 0 N)].

Section Soundness.
Variables (R : realFieldType) (causal : bool) (n D : nat) (K : pkernel R m n.+1).
Let hs := htable pr_parts m.
Let tab := scaled_table hs.
Hypothesis common : pairs_common hs.
Hypothesis n_eq : pr_n c = Z.of_nat n.+1.
Hypothesis K_ge0 : nonneg K.
Let tau := ztau R (pr_tn c) (pr_td c).
Hypothesis solK : solves causal (pr_self c) tau K inner.
Hypothesis featK : has_pfeatures D K.

Let Lm : R := zr R pr_L ^+ m.
Let q (i : 'I_N) := tok m (pr_q i).
Let a (i : 'I_N) := tok m (pr_a i).
Let x (i : 'I_N) := zr R (nth 0%bZ (pr_x c) i).
Let y (i : 'I_N) := zr R (nth 0%bZ (pr_y c) i).
(* The numerical bound on the ratio of two entries. *)
Let H (i j : 'I_N) : R := zr R (nth 0%bZ tab (Z.to_nat (pr_gap i j))) / Lm.

Let facts : [/\ (0 <? pr_tn c)%bZ /\ (0 <? pr_td c)%bZ, (2 <? pr_n c)%bZ, (1 < n)%N,
  tau < 1 & 0 < Lm].
Proof.
have /and5P[n_gt2 tn_gt0 td_gt0 lt_td /andP[/andP[L_gt0 _] _]] := common.
split=> //; first by move: n_gt2; rewrite n_eq; clear; lia.
  have lt1 : (1 * pr_tn c <? pr_td c)%bZ by move: lt_td; clear; lia.
  by have := ztau_lt R td_gt0 lt1; rewrite zr1 mul1r.
by rewrite exprn_gt0 // zr_gt0.
Qed.

Let sizes (i : 'I_N) : size (pr_q i) = m /\ size (pr_a i) = m.
Proof.
have /and5P[_ _ _ _ /and5P[_ _ /allP szs _ _]] := common.
by have /andP[/eqP-> /eqP->] := szs _ (mem_nth ([::], [::]) (ltn_ord i)).
Qed.

Let zdot_qa (i j : 'I_N) : zdot (pr_q i) (pr_a j) = Z.of_nat (dot (q i) (a j)).
Proof. by apply: zdotE; [case: (sizes i) | case: (sizes j)]. Qed.

Let tab_ge s : (s <= m)%N -> hmin tau (g n.+1 tau) s * Lm <= zr R (nth 0%bZ tab s).
Proof.
move=> s_le; have [[tn_gt0 td_gt0] n_gt2 _ _ Lm_gt0] := facts.
have /and5P[_ _ _ _ /and5P[ok all_def _ _ _]] := common.
rewrite (nth_map 0%N) ?size_iota // nth_iota // add0n.
have in_s : (m - s)%N \in iota 0 m.+1 by rewrite mem_iota /= add0n ltnS leq_subr.
have := allP all_def _ in_s; case def_v: (nth _ _ _) => [v|] // _.
have [_ [_ le_v]] := htable_bounded R tn_gt0 td_gt0 n_gt2 ok n_eq def_v.
rewrite subKn // in le_v; have L_gt0 : 0 < zr R pr_L by have /andP[/zr_gt0] := ok.
have -> : Lm = zr R pr_L ^+ s * zr R pr_L ^+ (m - s) by rewrite -exprD subnKC.
by rewrite zrM zr_exp mulrA ler_pmul2r // exprn_gt0.
Qed.

Let decayK : forall p b d s, dot p d = (dot p b + s)%N -> (0 < s)%N ->
  kbar K p d < hmin tau (g n.+1 tau) s * kbar K p b.
Proof.
have [[tn_gt0 td_gt0] _ n_gt1 tau_lt1 _] := facts.
move=> p b d s eq_s s_gt0; apply: (inner_decay n_gt1 (ztau_gt0 R tn_gt0 td_gt0) K_ge0 tau_lt1 solK) => //.
by apply: lt_le_trans tau_lt1 _; rewrite ler1n.
Qed.

Let h_gt0 s : (0 < s)%N -> 0 < hmin tau (g n.+1 tau) s.
Proof.
have [[tn_gt0 td_gt0] _ n_gt1 tau_lt1 _] := facts; move=> s_gt0.
apply: hmin_gt0; first exact: ztau_gt0.
  by move=> r; apply: g_gt0 => //; apply: ztau_gt0.
by apply: lt_le_trans tau_lt1 _; rewrite ler1n.
Qed.

Let K_gt0 i : 0 < kbar K (q i) (a i).
Proof.
have /and5P[_ _ _ _ /and5P[_ _ _ /allP below _]] := common.
have := below i; rewrite mem_iota /= add0n ltn_ord => /(_ isT).
rewrite zdot_qa (@zcount_card m) ?(sizes i).1 // => lt_q.
have gap_gt0 : (0 < #|q i| - dot (q i) (a i))%N by move: lt_q; rewrite /q; clear; lia.
rewrite -(pmulr_rgt0 _ (h_gt0 gap_gt0)); apply: le_lt_trans (kbar_ge0 K_ge0 (q i) (q i)) _.
by apply: decayK => //; rewrite dotxx subnKC ?dot_le.
Qed.

Let ratioK (i j : 'I_N) : (0 <? pr_gap i j)%bZ ->
  kbar K (q i) (a j) < H i j * kbar K (q i) (a i).
Proof.
rewrite /H /pr_gap !zdot_qa => gap_gt0; have [_ _ _ _ Lm_gt0] := facts.
set s := Z.to_nat _; have s_gt0 : (0 < s)%N by move: gap_gt0; rewrite /s; clear; lia.
have eq_s : dot (q i) (a j) = (dot (q i) (a i) + s)%N by move: gap_gt0; rewrite /s; clear; lia.
apply: lt_le_trans (decayK eq_s s_gt0) _; rewrite ler_pmul2r //.
by rewrite ler_pdivl_mulr // tab_ge // (leq_trans _ (dot_leq_m (q i) (a j))) // eq_s leq_addl.
Qed.

Let seq_ge0 s i : all (Z.leb 0) s -> 0 <= zr R (nth 0%bZ s i).
Proof.
move=> /allP nn; have [i_lt|i_ge] := ltnP i (size s); last by rewrite nth_default.
by apply/zr_ge0/nn/mem_nth.
Qed.

Let x_ge0 i : 0 <= x i.
Proof. by have /and5P[_ _ _ _ /and5P[_ _ _ _ /andP[nn _]]] := common; apply: seq_ge0. Qed.
Let y_ge0 i : 0 <= y i.
Proof. by have /and5P[_ _ _ _ /and5P[_ _ _ _ /andP[_ nn]]] := common; apply: seq_ge0. Qed.

(* A defined entry gives the ratio, and its own value. *)
Let entryP (i j : 'I_N) e : i != j -> pair_entry tab i j = Some e ->
  (x i * y j != 0 -> kbar K (q i) (a j) < H i j * kbar K (q i) (a i)) /\
  zr R e = x i * y j * H i j * Lm.
Proof.
have [_ _ _ _ Lm_gt0] := facts.
move=> ne; rewrite /pair_entry -val_eqE in ne *; rewrite (negbTE ne).
case: Z.eqb_spec => [w0 [<-]|_].
  have xy0 : x i * y j = 0 by rewrite /x /y -zrM w0.
  by rewrite xy0 eqxx !mul0r.
case: ifP => // gap_gt0 [<-]; split=> [_|]; first exact: ratioK.
by rewrite !zrM /H -[RHS]mulrA divfK ?gt_eqF.
Qed.

Let zsumE (s : seq Z) : zr R (zsum s) = \sum_(z <- s) zr R z.
Proof. by elim: s => [|z s IHs]; rewrite ?big_nil ?big_cons //= zrD IHs. Qed.

Let zsum_iota (F : nat -> Z) (P : pred nat) :
  zr R (zsum [seq F i | i <- iota 0 N & P i]) = \sum_(i < N | P i) zr R (F i).
Proof.
rewrite zsumE big_map big_filter; transitivity (\sum_(0 <= i < N | P i) zr R (F i)).
  by rewrite /index_iota subn0.
by rewrite big_mkord.
Qed.

Let entry_value (i j : 'I_N) : isSome (pair_entry tab i j) ->
  zr R (odflt 0%bZ (pair_entry tab i j)) =
  x i * y j * (if i == j then 1 else H i j) * Lm.
Proof.
have [<- _|ne] := eqVneq i j.
  by rewrite /pair_entry eqxx /= !zrM zr_exp mulr1.
by case def_e: (pair_entry _ _ _) => [e|] // _; rewrite (entryP ne def_e).2.
Qed.

Let mem_N (i : 'I_N) : nat_of_ord i \in iota 0 N.
Proof. by rewrite mem_iota /= add0n. Qed.

Lemma trace_rank : check_trace -> (pr_value c <= D)%N.
Proof.
case/and4P=> _ /allP defined v_gt0 lt_S; have [_ _ _ _ Lm_gt0] := facts.
have some (i j : 'I_N) : isSome (pair_entry tab i j).
  have /allP := defined _ (map_f (fun i => [seq pair_entry tab i j | j <- iota 0 N]) (mem_N i)).
  by apply; apply: map_f.
have ratios (i j : 'I_N) : i != j -> x i * y j != 0 ->
    kbar K (q i) (a j) < H i j * kbar K (q i) (a i).
  move=> ne; have := some i j; case def_e: (pair_entry _ _ _) => [e|] // _.
  exact: (entryP ne def_e).1.
have trace := weighted_trace (kbar_ge0 K_ge0) K_gt0 (kbar_features featK) x_ge0 y_ge0 ratios.
rewrite leqNgt; apply/negP => D_lt; have := zr_lt R lt_S.
rewrite ltNge => /negP; apply; rewrite !zrM zr_nat zr_exp -/Lm.
have -> : zr R (zsum [seq (nth 0 (pr_x c) i * nth 0 (pr_y c) i)%bZ | i <- iota 0 N]) =
          \sum_i x i * y i.
  rewrite -[iota 0 N]filter_predT zsum_iota.
  by apply: eq_bigr => i _; rewrite zrM.
have -> : zr R (zsum [seq zsum [seq (odflt 0 e * odflt 0 e)%bZ | e <- row] |
     row <- [seq [seq pair_entry tab i j | j <- iota 0 N] | i <- iota 0 N]]) =
   (\sum_i \sum_j (x i * y j * (if i == j then 1 else H i j)) ^+ 2) * Lm ^+ 2.
  rewrite -map_comp -[iota 0 N in X in map _ X]filter_predT zsum_iota mulr_suml.
  apply: eq_bigr => i _; rewrite /= -map_comp -[iota 0 N]filter_predT zsum_iota mulr_suml.
  by apply: eq_bigr => j _; rewrite /= zrM entry_value // -exprMn expr2.
rewrite mulrACA -!expr2 mulrA ler_wpmul2r ?sqr_ge0 //; apply: (le_trans trace).
apply: ler_wpmul2r; last by rewrite ler_nat; move: D_lt v_gt0; clear; lia.
by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; apply: sqr_ge0.
Qed.

Lemma dominance_rank : check_dominance -> (pr_value c <= D)%N.
Proof.
case/and3P=> _ v_le /allP rows; have [_ _ _ _ Lm_gt0] := facts.
apply: leq_trans v_le _.
have row_i (i : 'I_N) := rows _ (mem_N i).
have some (i j : 'I_N) : j != i -> isSome (pair_entry tab i j).
  move=> ne; have /and3P[_ /allP all_def _] := row_i i.
  by apply/all_def/map_f; rewrite mem_filter mem_N andbT.
have ratios (i j : 'I_N) : i != j -> x i * y j != 0 ->
    kbar K (q i) (a j) < H i j * kbar K (q i) (a i).
  move=> ne; have := some i j; rewrite eq_sym => /(_ ne).
  by case def_e: (pair_entry _ _ _) => [e|] // _; exact: (entryP ne def_e).1.
apply: (weighted_dominance (kbar_ge0 K_ge0) K_gt0 (kbar_features featK) x_ge0 y_ge0 ratios).
  by move=> i; have /and3P[xy_gt0 _ _] := row_i i; rewrite /x /y -zrM zr_gt0.
move=> i; have /and3P[_ _ /(zr_le R)] := row_i i; rewrite -map_comp zsum_iota !zrM zr_exp -/Lm.
rewrite -(ler_pmul2r Lm_gt0); apply: le_trans; rewrite mulr_suml.
rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => j ne.
by rewrite /= entry_value ?some // eq_sym (negbTE ne).
Qed.

End Soundness.
End Check.

Theorem check_trace_sound c N : check_trace c -> pr_n c = Z.of_nat N ->
  lower_bound (pr_m c) N (pr_tn c) (pr_td c) (pr_self c) (pr_value c).
Proof.
move=> ok n_eq R causal n' K D def_N K_ge0 solK featK; rewrite def_N in n_eq.
have /and4P[common _ _ _] := ok.
exact: (trace_rank common n_eq K_ge0 solK featK ok).
Qed.

Theorem check_dominance_sound c N : check_dominance c -> pr_n c = Z.of_nat N ->
  lower_bound (pr_m c) N (pr_tn c) (pr_td c) (pr_self c) (pr_value c).
Proof.
move=> ok n_eq R causal n' K D def_N K_ge0 solK featK; rewrite def_N in n_eq.
have /and3P[common _ _] := ok.
exact: (dominance_rank common n_eq K_ge0 solK featK ok).
Qed.
