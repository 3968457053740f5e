(******************************************************************************)
(* Transcript certificates (P6): data tokens (address, free payload) and      *)
(* queries that read one payload bit each.                                    *)
(*  run_token M x i == the answer read at token i, when all tokens take part  *)
(*                     in a layered model (transcript.v): they broadcast and  *)
(*                     they are answered                                      *)
(*   together_bound : P6 with all queries present at once                     *)
(*   transcript_single m n k == a model that answers one query at a time,     *)
(*                     over n data tokens, has 2^k <= |alphabet|^(L H)        *)
(*   transcript_together m n p k == the same for n data tokens and p query    *)
(*                     tokens that are all present, all attend to all, and    *)
(*                     are answered together                                  *)
(*   check_transcript, check_single_data, check_together_data : it is enough  *)
(*                     that the answers are right on the certificate's data   *)
(*   check_single_sound, check_together_sound : the bounds                    *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect zify ssrZ.
From KattnBounds Require Import defs transcript check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Together.
Variables (m n L H : nat) (alphabet : finType) (state output : Type).
Variable M : model m n L H alphabet state output.
Implicit Types x y : sequence m n.

Definition final_states x : 'I_n -> state :=
  foldl (fun s l => step l s) (data_states M x) (layer_seq M).

Definition run_token x i : output := read M (final_states x i).

(* A token learns of the others only through the transcript. *)
Lemma transcript_determines_token x y i :
  transcript M x = transcript M y -> x i = y i -> run_token x i = run_token y i.
Proof.
move=> /(congr1 (@tval _ _)); rewrite !val_tcast /= /run_token /final_states => eq_tr eq_i.
have : data_states M x i = data_states M y i by rewrite /data_states eq_i.
elim: layer_seq (data_states M x) (data_states M y) eq_tr => [|l ls IHls] s t /= => [_ ->|] //.
by case=> eq_sym /IHls {}IHls eq_st; apply: IHls; rewrite /step eq_sym eq_st.
Qed.

Theorem together_bound (I : finType) (data : I -> sequence m n) (Q : pred 'I_n) :
    (forall a b i, Q i -> data a i = data b i) ->
    (forall a b, (forall i, Q i -> run_token (data a) i = run_token (data b) i) -> a = b) ->
  #|I| <= #|alphabet| ^ (L * H).
Proof.
move=> same distinct; have inj : injective (fun a => transcript M (data a)).
  move=> a b eq_ab; apply: distinct => i /(same a b).
  exact: transcript_determines_token.
apply: leq_trans (leq_card _ inj) _.
by rewrite card_tuple card_ffun card_ord -expnM mulnC.
Qed.

End Together.

Definition transcript_single (m n k : nat) : Prop :=
  forall L H (alphabet : finType) (state : Type) (M : model m n L H alphabet state nat),
    (forall x q, run M x q = answer x q) ->
  2 ^ k <= #|alphabet| ^ (L * H).

Definition transcript_together (m n p k : nat) : Prop :=
  forall L H (alphabet : finType) (state : Type) (M : model m (n + p) L H alphabet state nat),
    (forall x (i : 'I_p), run_token M x (rshift n i) = answer x (x (rshift n i))) ->
  2 ^ k <= #|alphabet| ^ (L * H).

(* Data tokens and payload bits count from 0. *)
Record transcript_cert := TranscriptCert {
  tc_m : nat; tc_width : nat; tc_together : bool; tc_value : Z;
  tc_addresses : seq (seq bool);
  tc_queries : seq (Z * Z * seq bool) }.  (* data token, payload bit, query *)

Section Check.
Variable c : transcript_cert.
Let m := tc_m c.
Let w := tc_width c.
Let r := m - w.
Let n := size (tc_addresses c).
Let k := Z.to_nat (tc_value c).

Definition fixed : seq (seq bool) :=
  if tc_together c then [seq p.2 | p <- tc_queries c] else [::].

Definition query_ok (p : Z * Z * seq bool) : bool :=
  let j := Z.to_nat p.1.1 in
  let q := take r p.2 in
  [&& size p.2 == m, j < n, Z.to_nat p.1.2 < w,
      drop r p.2 == mkseq (fun b => b == Z.to_nat p.1.2) w &
      all (fun ia => if ia.1 == j then zdot q ia.2 == 0%bZ else (0 <? zdot q ia.2)%bZ)
        (zip (iota 0 n) (tc_addresses c))] &&
  [&& (0 <=? p.1.1)%bZ, (0 <=? p.1.2)%bZ & all (fun x => 0 <? zdot p.2 x)%bZ fixed].

Definition check_transcript : bool :=
  [&& w <= m, all (fun a => size a == r) (tc_addresses c), all query_ok (tc_queries c),
      uniq [seq p.1 | p <- tc_queries c]
    & (tc_value c <=? Z.of_nat (size (tc_queries c)))%bZ].

(* All tokens for given payloads: the data tokens, then the queries if they   *)
(* are present.                                                               *)
Definition tokens (P : nat -> nat -> bool) : seq (seq bool) :=
  [seq nth [::] (tc_addresses c) j ++ mkseq (P j) w | j <- iota 0 n] ++ fixed.

Definition world (P : nat -> nat -> bool) N : sequence m N :=
  fun i => tok m (nth [::] (tokens P) i).

Hypothesis ok : check_transcript.

Lemma zdot_cat s t s' t' : size s = size t -> zdot (s ++ s') (t ++ t') = (zdot s t + zdot s' t')%bZ.
Proof.
move=> size_st; rewrite /zdot zip_cat // map_cat !zcountE count_cat; lia.
Qed.

Lemma zdot_unit b p : b < w -> size p = w ->
  zdot (mkseq (fun i => i == b) w) p = Z.of_nat (nth false p b).
Proof.
move=> b_lt size_p; rewrite (zdotE (m := w)) ?size_mkseq //; congr Z.of_nat.
pose x := Ordinal b_lt; have -> : nth false p b = (x \in tok w p) by rewrite inE.
have -> : tok w (mkseq (fun i => i == b) w) = [set x].
  by apply/setP => i; rewrite !inE nth_mkseq // -val_eqE.
have [x_in|x_out] := boolP (x \in tok w p).
  by rewrite /dot (setIidPl _) ?sub1set ?cards1.
by apply/eqP; rewrite cards_eq0 setI_eq0 disjoints1.
Qed.

Lemma size_address i : i < n -> size (nth [::] (tc_addresses c) i) = r.
Proof. by have /and5P[_ /all_nthP sizes _ _ _] := ok => i_lt; apply/eqP/sizes. Qed.

Lemma size_tokens P x : x \in tokens P -> size x = m.
Proof.
have /and5P[w_le _ /allP queries _ _] := ok; rewrite mem_cat => /orP[/mapP[j]|].
  by rewrite mem_iota => /size_address size_j ->; rewrite size_cat size_mkseq size_j subnK.
rewrite /fixed; case: tc_together => // /mapP[p /queries p_ok ->].
by have /andP[/and5P[/eqP]] := p_ok.
Qed.

Section Query.
Variables (p : Z * Z * seq bool) (P : nat -> nat -> bool).
Hypothesis p_in : p \in tc_queries c.
Let j := Z.to_nat p.1.1.
Let b := Z.to_nat p.1.2.

Lemma query_facts :
  [/\ size p.2 = m, j < n, b < w, forall x, x \in fixed -> (0 < zdot p.2 x)%bZ &
      forall i, i < n -> let t := zdot p.2 (nth [::] (tc_addresses c) i ++ mkseq (P i) w) in
        if i == j then t = Z.of_nat (P j b) else (0 < t)%bZ].
Proof.
have /and5P[w_le _ /allP/(_ _ p_in) p_ok _ _] := ok.
case/andP: p_ok => /and5P[/eqP size_p j_lt b_lt /eqP unit_b /all_nthP addr].
case/and3P=> _ _ /allP fixed_gt0.
split=> // [x /fixed_gt0 /Z.ltb_lt //|i i_lt].
have size_r : size (take r p.2) = r by rewrite size_takel // size_p leq_subr.
rewrite -[in zdot p.2](cat_take_drop r p.2) zdot_cat ?size_r ?size_address // unit_b.
rewrite zdot_unit ?size_mkseq // nth_mkseq //.
have := addr (0, [::]) i; rewrite size_zip size_iota minnn => /(_ i_lt).
rewrite nth_zip ?size_iota //= nth_iota // add0n.
case: eqP => [-> /Z.eqb_eq-> //|_ /Z.ltb_lt]; lia.
Qed.

Lemma query_answer N : N = size (tokens P) -> answer (@world P N) (tok m p.2) = P j b.
Proof.
move=> N_eq; have [size_p j_lt b_lt fixed_gt0 data] := query_facts.
have dotE i : i < N -> Z.of_nat (dot (tok m p.2) (tok m (nth [::] (tokens P) i))) =
    zdot p.2 (nth [::] (tokens P) i).
  by move=> i_lt; rewrite (zdotE (m := m)) // (@size_tokens P) // mem_nth -?N_eq.
have nth_data i : i < n ->
    nth [::] (tokens P) i = nth [::] (tc_addresses c) i ++ mkseq (P i) w.
  by move=> i_lt; rewrite nth_cat size_map size_iota i_lt (nth_map 0) ?size_iota // nth_iota.
have size_N : n + size fixed = N by rewrite N_eq size_cat size_map size_iota.
have n_le : n <= N by rewrite -size_N leq_addr.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply: leq_trans (answer_le _ _ (Ordinal (leq_trans j_lt n_le))) _.
  rewrite /world /=; have := data j j_lt; rewrite eqxx -nth_data // -dotE; first lia.
  exact: leq_trans n_le.
apply: answer_ge => [|i].
  rewrite (leq_trans (leq_b1 _)) //; have /andP[w_le _] := ok.
  by apply: leq_trans w_le; apply: leq_ltn_trans b_lt.
rewrite /world; have := dotE i (ltn_ord i); have [i_lt|i_ge] := ltnP i n.
  have := data i i_lt; rewrite -nth_data //.
  by case: eqP => [_ -> /Nat2Z.inj-> //|_]; case: (P j b) => //=; lia.
suff : (0 < zdot p.2 (nth [::] (tokens P) i))%bZ by case: (P j b) => /=; lia.
apply: fixed_gt0; rewrite nth_cat size_map size_iota ltnNge i_ge /= mem_nth //.
by rewrite ltn_subLR // size_N ltn_ord.
Qed.

End Query.
(* One payload for every choice of the first k answers. *)
Lemma value_le : k <= size (tc_queries c).
Proof. by have /and5P[_ _ _ _ le_value] := ok; rewrite /k; lia. Qed.

Let no_query : Z * Z * seq bool := (0%bZ, 0%bZ, [::]).
Let query (i : 'I_k) := nth no_query (tc_queries c) i.
Let bit (p : Z * Z * seq bool) := (Z.to_nat p.1.1, Z.to_nat p.1.2).

Definition payload (v : {ffun 'I_k -> bool}) (j b : nat) : bool :=
  [exists i, v i && ((j, b) == bit (query i))].

Lemma query_in i : query i \in tc_queries c.
Proof. by rewrite mem_nth // (leq_trans (ltn_ord i)) ?value_le. Qed.

Lemma payload_query v i : payload v (bit (query i)).1 (bit (query i)).2 = v i.
Proof.
apply/existsP/idP => [[i' /andP[v_i']]|v_i]; last by exists i; rewrite v_i -surjective_pairing /=.
have lt (l : 'I_k) : l < size (tc_queries c) := leq_trans (ltn_ord l) value_le.
have /and5P[_ _ /allP queries uniq_p _] := ok.
have ge0 l : (0 <= (query l).1.1)%bZ /\ (0 <= (query l).1.2)%bZ.
  by have /andP[_ /and3P[ge_j ge_b _]] := queries _ (query_in l); lia.
rewrite -surjective_pairing => /eqP[eq_j eq_b].
have eq_p : (query i).1 = (query i').1.
  rewrite [LHS]surjective_pairing [RHS]surjective_pairing.
  by have [] := ge0 i; have [] := ge0 i' => ? ? ? ?; congr (_, _); apply: Z2Nat.inj.
have /eqP := eq_p; rewrite /query -!(nth_map no_query (0%bZ, 0%bZ) fst) //.
by rewrite nth_uniq ?size_map // => /eqP/val_inj->.
Qed.

Lemma payload_inj N (v v' : {ffun 'I_k -> bool}) :
    N = size (tokens (payload v)) -> N = size (tokens (payload v')) ->
    (forall i, answer (@world (payload v) N) (tok m (query i).2) =
               answer (@world (payload v') N) (tok m (query i).2)) ->
  v = v'.
Proof.
move=> N_v N_v' eq_ans; apply/ffunP => i; have := eq_ans i.
rewrite !query_answer ?query_in // -![payload _ _ _]/(payload _ (bit _).1 (bit _).2).
by rewrite !payload_query; case: (v i); case: (v' i).
Qed.

Lemma card_payloads : #|{ffun 'I_k -> bool}| = 2 ^ k.
Proof. by rewrite card_ffun card_bool card_ord. Qed.

Lemma size_tokensE P : size (tokens P) = n + size fixed.
Proof. by rewrite size_cat size_map size_iota. Qed.

(* P6, one query at a time, for models that are right on these data. *)
Theorem check_single_data L H (alphabet : finType) (state : Type)
    (M : model m n L H alphabet state nat) :
    ~~ tc_together c ->
    (forall P p, p \in tc_queries c ->
       run M (@world P n) (tok m p.2) = answer (@world P n) (tok m p.2)) ->
  2 ^ k <= #|alphabet| ^ (L * H).
Proof.
move=> /negbTE single right; rewrite -card_payloads.
have size_n P : n = size (tokens P) by rewrite size_tokensE /fixed single addn0.
apply: (transcript_bound (M := M) (data := fun v => @world (payload v) n)) => v v' eq_run.
apply: (payload_inj (size_n _) (size_n _)) => i.
by rewrite -!right ?query_in.
Qed.

(* P6, all queries present, for models that are right on these data. *)
Theorem check_together_data p L H (alphabet : finType) (state : Type)
    (M : model m (n + p) L H alphabet state nat) :
    tc_together c -> p = size (tc_queries c) ->
    (forall P (i : 'I_p), let x := @world P (n + p) in
       run_token M x (rshift n i) = answer x (x (rshift n i))) ->
  2 ^ k <= #|alphabet| ^ (L * H).
Proof.
move=> together p_eq right; rewrite -card_payloads.
have fixedE : fixed = [seq q.2 | q <- tc_queries c] by rewrite /fixed together.
have size_np P : n + p = size (tokens P) by rewrite size_tokensE fixedE size_map p_eq.
have world_fixed P (i : 'I_p) : @world P (n + p) (rshift n i) =
    tok m (nth no_query (tc_queries c) i).2.
  rewrite /world /tokens nth_cat size_map size_iota /= ltnNge leq_addr /= addKn fixedE.
  by rewrite (nth_map no_query) // -p_eq.
pose Q (i : 'I_(n + p)) := n <= i.
have Q_shift i : Q i -> exists l, i = rshift n l.
  by rewrite /Q; case: (split_ordP i) => l -> /=; [rewrite leqNgt ltn_ord | exists l].
apply: (together_bound (M := M) (data := fun v => @world (payload v) (n + p)) (Q := Q)).
  by move=> v v' _ /Q_shift[l ->]; rewrite !world_fixed.
move=> v v' eq_run; apply: (payload_inj (size_np _) (size_np _)) => i.
have i_lt : i < p by rewrite p_eq (leq_trans (ltn_ord i)) ?value_le.
have := eq_run (rshift n (Ordinal i_lt)) (leq_addr _ _).
by rewrite !right !world_fixed.
Qed.

End Check.

Theorem check_single_sound c : check_transcript c -> ~~ tc_together c ->
  transcript_single (tc_m c) (size (tc_addresses c)) (Z.to_nat (tc_value c)).
Proof. by move=> ok single L H alphabet state M right; apply: check_single_data single _. Qed.

Theorem check_together_sound c : check_transcript c -> tc_together c ->
  transcript_together (tc_m c) (size (tc_addresses c)) (size (tc_queries c))
    (Z.to_nat (tc_value c)).
Proof.
move=> ok together L H alphabet state M right.
by apply: check_together_data together (erefl _) _ => // P i; apply: right.
Qed.
