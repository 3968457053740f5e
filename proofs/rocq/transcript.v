(******************************************************************************)
(* P6: deterministic layered sketch models.                                   *)
(*   model         == L layers, H heads.  Every token keeps a state; in each  *)
(*                    layer each head broadcasts one symbol of a finite       *)
(*                    alphabet, computed from the states of the data tokens;  *)
(*                    every token then updates its own state from the symbols *)
(*                    of that layer                                           *)
(*   run M x q     == the answer of the query q to the data x                 *)
(*   transcript M x == the L * H symbols broadcast                            *)
(*   transcript_bound : M distinct answer functions need                      *)
(*                    M <= |alphabet|^(L H)                                   *)
(*   answer x q    == min over the data tokens of <q, x_j>                    *)
(*   antichain_of x == the inclusion-minimal data tokens                      *)
(*   answer_antichain : answers agree iff the antichains agree                *)
(*   independent_answers : data tokens (address, payload) make n (m - r)      *)
(*                    binary answers independent                              *)
(*   independent_answers_bound : so |alphabet|^(L H) >= 2^(n (m - r))         *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect zify.
From KattnBounds Require Import defs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Model.
Variables (m n L H : nat) (alphabet : finType) (state output : Type).

(* One layer: what every head broadcasts, and how a token updates its state.  *)
(* The data tokens may be treated by position.                                *)
Record layer := Layer {
  broadcast : 'I_H -> ('I_n -> state) -> alphabet;
  update_data : 'I_n -> state -> {ffun 'I_H -> alphabet} -> state;
  update_query : state -> {ffun 'I_H -> alphabet} -> state }.

Record model := Model {
  init_data : 'I_n -> token m -> state;
  init_query : token m -> state;
  layers : 'I_L -> layer;
  read : state -> output }.

Variable M : model.
Implicit Types (x : sequence m n) (q : token m).

Definition symbols (l : layer) (s : 'I_n -> state) : {ffun 'I_H -> alphabet} :=
  [ffun h => broadcast l h s].

Definition step (l : layer) (s : 'I_n -> state) : 'I_n -> state :=
  fun j => update_data l j (s j) (symbols l s).

(* The states of the data tokens after a list of layers, and the symbols. *)
Fixpoint trace (ls : seq layer) (s : 'I_n -> state) : seq {ffun 'I_H -> alphabet} :=
  if ls is l :: ls' then symbols l s :: trace ls' (step l s) else [::].

Fixpoint query_state (ls : seq layer) (s : 'I_n -> state) (t : state) : state :=
  if ls is l :: ls' then query_state ls' (step l s) (update_query l t (symbols l s))
  else t.

Definition layer_seq : seq layer := [seq layers M l | l <- enum 'I_L].
Definition data_states x : 'I_n -> state := fun j => init_data M j (x j).

Definition run x q : output :=
  read M (query_state layer_seq (data_states x) (init_query M q)).

Lemma size_trace ls s : size (trace ls s) == size ls.
Proof. by elim: ls s => //= l ls IHls s; rewrite eqSS. Qed.

Lemma size_layer_seq : size layer_seq = L.
Proof. by rewrite size_map size_enum_ord. Qed.

Definition transcript x : L.-tuple {ffun 'I_H -> alphabet} :=
  tcast size_layer_seq (Tuple (size_trace layer_seq (data_states x))).

(* All that a query learns of the data is the transcript. *)
Lemma query_state_trace ls s s' t :
  trace ls s = trace ls s' -> query_state ls s t = query_state ls s' t.
Proof. by elim: ls s s' t => //= l ls IHls s s' t [-> /IHls]. Qed.

Theorem transcript_determines x y :
  transcript x = transcript y -> run x =1 run y.
Proof.
move=> eq_xy q; rewrite /run; congr (read M _); apply: query_state_trace.
by have /(congr1 (@tval _ _)) := eq_xy; rewrite !val_tcast.
Qed.

(* P6: the pigeonhole bound. *)
Theorem transcript_bound (I : finType) (data : I -> sequence m n) :
    (forall i j, run (data i) =1 run (data j) -> i = j) ->
  #|I| <= #|alphabet| ^ (L * H).
Proof.
move=> distinct; have inj : injective (transcript \o data).
  by move=> i j /transcript_determines/distinct.
apply: leq_trans (leq_card _ inj) _.
by rewrite card_tuple card_ffun card_ord -expnM mulnC.
Qed.

End Model.

(* The answers, and the antichains of minimal tokens. *)
Section Answers.
Variables (m n : nat).
Implicit Types (x y : sequence m n) (q a : token m).

Definition answer x q : nat := \big[minn/m]_j dot q (x j).

Definition antichain_of x : {set token m} :=
  [set a in codom x | [forall j, (x j \subset a) ==> (x j == a)]].

Lemma answer_le x q j : answer x q <= dot q (x j).
Proof. by apply: bigminn_le (mem_index_enum j) _. Qed.

Lemma answer_ge x q d :
  d <= m -> (forall j, d <= dot q (x j)) -> d <= answer x q.
Proof.
move=> d_le dP; apply: (big_ind (fun e => d <= e)) => // e f.
by rewrite leq_min => -> ->.
Qed.

Lemma minimal_below x j : exists2 a, a \in antichain_of x & a \subset x j.
Proof.
have [k] := ubnP #|x j|; elim: k j => // k IHk j j_lt.
have [/forallP xj_min|] := boolP [forall i, (x i \subset x j) ==> (x i == x j)].
  by exists (x j) => //; rewrite inE codom_f; apply/forallP.
rewrite negb_forall => /existsP[i]; rewrite negb_imply => /andP[ij ne].
have [|a a_in a_sub] := IHk i; last by exists a => //; apply: subset_trans ij.
by apply: leq_trans (_ : #|x j| <= k) => //; rewrite proper_card // properEneq ne.
Qed.

Lemma antichain_member x a : a \in antichain_of x -> exists j, x j = a.
Proof. by rewrite inE => /andP[/codomP[j ->] _]; exists j. Qed.

Lemma answer_eq0 x a : 0 < n ->
  (answer x (~: a) == 0) = [exists j, x j \subset a].
Proof.
move=> n_gt0; apply/eqP/existsP => [ans0|[j j_sub]]; last first.
  apply/eqP; rewrite -leqn0 (leq_trans (answer_le x _ j)) // leqn0 cards_eq0.
  by rewrite setIC setI_eq0 disjoints_subset setCK.
have [|none] := boolP [exists j, x j \subset a]; first by move/existsP.
have pos j : 0 < dot (~: a) (x j).
  rewrite card_gt0 setIC setI_eq0 disjoints_subset setCK.
  by apply: contraNN none => j_sub; apply/existsP; exists j.
have m_gt0 : 0 < m by apply: leq_trans (pos (Ordinal n_gt0)) (dot_leq_m _ _).
by have := answer_ge m_gt0 pos; rewrite ans0.
Qed.

(* P6: the answer function determines and is determined by the antichain. *)
Theorem answer_antichain x y : 0 < n ->
  answer x =1 answer y <-> antichain_of x = antichain_of y.
Proof.
move=> n_gt0; split=> [eq_ans|eq_anti].
  have above (a : token m) : [exists j, x j \subset a] = [exists j, y j \subset a].
    by rewrite -!answer_eq0 // eq_ans.
  have sub (z t : sequence m n) : (forall a : token m, [exists j, z j \subset a] = [exists j, t j \subset a]) ->
      antichain_of z \subset antichain_of t.
    move=> up; apply/subsetP => a a_in; have [j zj] := antichain_member a_in.
    have /existsP[i ti] : [exists i, t i \subset a].
      by rewrite -up; apply/existsP; exists j; rewrite zj.
    have [b b_in b_sub] := minimal_below t i.
    have [k tk] := antichain_member b_in.
    have /existsP[l zl] : [exists l, z l \subset b].
      by rewrite up; apply/existsP; exists k; rewrite tk.
    have ba : b \subset a by apply: subset_trans b_sub ti.
    move: a_in; rewrite inE => /andP[_ /forallP/(_ l)/implyP/(_ (subset_trans zl ba))/eqP zla].
    by rewrite (_ : a = b) //; apply/eqP; rewrite eqEsubset ba -zla zl.
  by apply/eqP; rewrite eqEsubset !sub.
move=> q; apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply: answer_ge => [|j].
    by rewrite (leq_trans (answer_le x q (Ordinal n_gt0))) ?dot_leq_m.
  have [a a_in a_sub] := minimal_below y j; move: a_in.
  rewrite -eq_anti => /antichain_member[i xi].
  apply: leq_trans (answer_le x q i) _; rewrite xi.
  by apply: subset_leq_card; apply: setIS.
apply: answer_ge => [|j].
  by rewrite (leq_trans (answer_le y q (Ordinal n_gt0))) ?dot_leq_m.
have [a a_in a_sub] := minimal_below x j; move: a_in.
rewrite eq_anti => /antichain_member[i yi].
apply: leq_trans (answer_le y q i) _; rewrite yi.
by apply: subset_leq_card; apply: setIS.
Qed.

Definition antichain (A : {set token m}) : bool :=
  [forall a in A, forall b in A, (a \subset b) ==> (a == b)].

Lemma antichain_of_antichain x : antichain (antichain_of x).
Proof.
apply/forall_inP => a /antichain_member[j <-]; apply/forall_inP => b b_in.
apply/implyP => sub; move: b_in; rewrite inE => /andP[_ /forallP/(_ j)].
by rewrite sub.
Qed.

Lemma antichain_of_onto (A : {set token m}) : antichain A -> 0 < #|A| <= n ->
  exists x : {ffun 'I_n -> token m}, antichain_of x = A.
Proof.
move=> antiA /andP[A_gt0 A_le]; have [a0 a0_in] := card_gt0P A_gt0.
pose x := [ffun j : 'I_n => nth a0 (enum A) j].
have x_in j : x j \in A.
  rewrite ffunE; have [j_lt|j_ge] := ltnP j (size (enum A)); last by rewrite nth_default.
  by rewrite -mem_enum mem_nth.
have x_onto a : a \in A -> exists j, x j = a.
  rewrite -mem_enum => a_in; have lt_a := a_in; rewrite -index_mem -cardE in lt_a.
  exists (Ordinal (leq_trans lt_a A_le)).
  by rewrite ffunE /= nth_index.
have anti a b : a \in A -> b \in A -> a \subset b -> a = b.
  move=> aA bA ab; have /forall_inP/(_ a aA)/forall_inP/(_ b bA)/implyP/(_ ab) := antiA.
  by move/eqP.
exists x; apply/setP => a; rewrite inE; apply/andP/idP => [[/codomP[j ->]] //|a_in].
have [j xj] := x_onto a a_in; split; first by rewrite -xj codom_f.
by apply/forallP => i; apply/implyP => sub; apply/eqP/anti.
Qed.

Lemma card_imset_same (X S T : finType) (f : X -> S) (g : X -> T) :
  (forall u v, g u = g v -> f u = f v) ->
  #|[set f u | u in X]| <= #|[set g u | u in X]|.
Proof.
move=> fg; have [/eqP|] := boolP (#|X| == 0).
  move=> X0; rewrite (_ : [set f u | u in X] = set0) ?cards0 //.
  apply/setP => s; rewrite inE; apply/negbTE/imsetP => -[u _ _].
  by have := card0_eq X0 u; rewrite inE.
rewrite -lt0n => /card_gt0P[u0 _].
pose phi t := f (odflt u0 [pick u | g u == t]).
rewrite (_ : [set f u | u in X] = phi @: [set g u | u in X]) ?leq_imset_card //.
rewrite -imset_comp; apply: eq_imset => u; rewrite /phi /=.
by case: pickP => [v /eqP/fg->//|/(_ u)]; rewrite eqxx.
Qed.

Definition answer_fun (x : {ffun 'I_n -> token m}) : {ffun token m -> 'I_m.+1} :=
  [ffun q => inord (answer x q)].

Lemma answer_lt x q : 0 < n -> answer x q < m.+1.
Proof.
by move=> n_gt0; rewrite ltnS (leq_trans (answer_le x q (Ordinal n_gt0))) ?dot_leq_m.
Qed.

(* P6: the answer functions of n tokens are as many as the non-empty          *)
(* antichains of at most n sets.                                              *)
Theorem card_answers : 0 < n ->
  #|[set answer_fun x | x in {ffun 'I_n -> token m}]| =
  #|[set A : {set token m} | antichain A && (0 < #|A| <= n)]|.
Proof.
move=> n_gt0.
have same (x y : {ffun 'I_n -> token m}) :
    answer_fun x = answer_fun y <-> antichain_of x = antichain_of y.
  apply: iff_trans (answer_antichain x y n_gt0); split=> [/ffunP eq_xy q|eq_xy].
    have /(congr1 (@nat_of_ord _)) := eq_xy q; rewrite !ffunE !inordK ?answer_lt //.
  by apply/ffunP => q; rewrite !ffunE eq_xy.
pose anti_fun (x : {ffun 'I_n -> token m}) := antichain_of x.
rewrite (_ : [set A : {set token m} | _] =
             [set anti_fun x | x in {ffun 'I_n -> token m}]).
  by apply/eqP; rewrite eqn_leq !card_imset_same // => x y; case: (same x y).
apply/setP => A; rewrite inE; apply/andP/imsetP => [[antiA A_in]|[x _ ->]].
  by have [x xA] := antichain_of_onto antiA A_in; exists x.
rewrite antichain_of_antichain; split=> //; apply/andP; split.
  by have [a a_in _] := minimal_below x (Ordinal n_gt0); apply/card_gt0P; exists a.
apply: leq_trans (_ : #|codom x| <= n); last first.
  by rewrite (leq_trans (card_size _)) // size_codom card_ord.
by apply/subset_leq_card/subsetP => a; rewrite inE => /andP[].
Qed.

End Answers.

(* Independent answers: data token j is an address from an antichain and a    *)
(* free payload; the query (complement of address j, e_b) reads payload bit b *)
Section Independent.
Variables (n r w : nat) (c : 'I_n -> {set 'I_r}).
Hypothesis c_antichain : forall i j, c i \subset c j -> i = j.

Definition addressed (p : {ffun 'I_n -> {set 'I_w}}) : sequence (r + w) n :=
  fun j => (@lshift r w) @: c j :|: (@rshift r w) @: p j.

Definition bit_query (j : 'I_n) (b : 'I_w) : token (r + w) :=
  (@lshift r w) @: (~: c j) :|: [set rshift r b].

Lemma dot_bit_query p i j b :
  dot (bit_query j b) (addressed p i) = #|c i :\: c j| + (b \in p i).
Proof.
rewrite /dot /bit_query /addressed.
have -> : ((@lshift r w) @: (~: c j) :|: [set rshift r b]) :&:
          ((@lshift r w) @: c i :|: (@rshift r w) @: p i) =
          (@lshift r w) @: (c i :\: c j) :|: (if b \in p i then [set rshift r b] else set0).
  apply/setP => k; rewrite !inE; case: (split_ordP k) => [k' ->|k' ->].
    rewrite !(mem_imset _ _ (@lshift_inj r w)) !inE eq_lrshift orbF.
    have -> : (lshift w k' \in (@rshift r w) @: p i) = false.
      by apply/negbTE/imsetP => -[l _ /eqP]; rewrite eq_lrshift.
    by rewrite orbF; case: ifP => _; rewrite !inE ?eq_lrshift !orbF.
  have out A : (rshift r k' \in (@lshift r w) @: A) = false.
    by apply/negbTE/imsetP => -[l _ /eqP]; rewrite eq_rlshift.
  rewrite !out (mem_imset _ _ (@rshift_inj r w)) !(inj_eq (@rshift_inj r w)) /=.
  case: eqP => [->|ne]; case: ifP => //=; rewrite !inE ?eqxx //.
    by rewrite (inj_eq (@rshift_inj r w)) => _; apply/esym/eqP.
rewrite cardsU (_ : _ :&: _ = set0) ?cards0 ?subn0; last first.
  apply/setP => k; rewrite !inE; apply/negbTE/andP => -[/imsetP[l _ ->]].
  by case: ifP => _; rewrite !inE ?eq_lrshift.
by rewrite card_imset; [case: ifP; rewrite ?cards1 ?cards0 | apply: lshift_inj].
Qed.

Theorem independent_answers p j b :
  answer (addressed p) (bit_query j b) = (b \in p j).
Proof.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  by rewrite (leq_trans (answer_le _ _ j)) // dot_bit_query setDv cards0.
apply: answer_ge => [|i].
  by case: (b \in p j) => //; rewrite (leq_trans _ (leq_addl _ _)) // (leq_ltn_trans _ (ltn_ord b)).
rewrite dot_bit_query; have [<-|ne] := eqVneq i j; first by rewrite leq_addl.
rewrite (leq_trans (leq_b1 _)) // (leq_trans _ (leq_addr _ _)) //.
by rewrite card_gt0 setD_eq0; apply: contra_neqN ne => /c_antichain.
Qed.

Lemma addressed_inj p p' :
  answer (addressed p) =1 answer (addressed p') -> p = p'.
Proof.
move=> eq_ans; apply/ffunP => j; apply/setP => b.
have := eq_ans (bit_query j b); rewrite !independent_answers.
by case: (b \in p j); case: (b \in p' j).
Qed.

End Independent.

Lemma card_set_ord w : #|{set 'I_w}| = 2 ^ w.
Proof. by rewrite -cardsT -powersetT card_powerset cardsT card_ord. Qed.

(* P6: k = n (m - r) independent binary answers.                              *)
Theorem independent_answers_bound m n r L H (alphabet : finType) (state : Type)
    (M : model m n L H alphabet state nat) :
    r <= m -> n <= 'C(r, r./2) -> (forall x q, run M x q = answer x q) ->
  2 ^ (n * (m - r)) <= #|alphabet| ^ (L * H).
Proof.
move=> r_le n_le; rewrite -[X in 2 ^ (n * (X - r))](subnKC r_le) addKn.
move: (m - r) (subnKC r_le) => w eq_m; case: _ / eq_m M => M solM.
pose F := [set A : {set 'I_r} | #|A| == r./2].
have cF : #|F| = 'C(r, r./2) by rewrite card_draws card_ord.
have n_leF : n <= #|F| by rewrite cF.
pose c (i : 'I_n) : {set 'I_r} := enum_val (widen_ord n_leF i).
have c_anti i j : c i \subset c j -> i = j.
  move=> /subset_leqif_cards[_]; have card_c k : #|c k| = r./2.
    by have := enum_valP (widen_ord n_leF k); rewrite inE => /eqP.
  rewrite !card_c eqxx => /esym/eqP/enum_val_inj/(congr1 val) /= eq_ij.
  exact: val_inj.
have -> : 2 ^ (n * w) = #|{ffun 'I_n -> {set 'I_w}}|.
  by rewrite card_ffun card_ord card_set_ord -expnM mulnC.
apply: (transcript_bound (M := M) (data := fun p => addressed c p)) => p p' eq_run.
by apply: (addressed_inj c_anti) => q; rewrite -!solM.
Qed.
