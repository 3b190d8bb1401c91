"""What each head of a model of real text is for: what knocking it out does to the next word, by kind of word.

A head is labelled by its effect alone: right answers that are lost without it, of one kind of word, more than without any other
head. Where it looks when it has nothing to do stands beside it.
"""
import torch
from torch.nn import functional

LEAST_PLACES, LEAST_LOSS = 40, 0.08  # of held-out places of a kind, and of the share of right answers


def heads_of(model):
    return [(layer, head) for layer, attention in enumerate(model.attentions) for head in range(attention.heads)]


def answers(model, lines, heads):
    """For each head, and None for the model as it is: [line][place] the most probable token after each but the last."""
    found = {silent: [[]] * len(lines) for silent in [None, *heads]}
    order = sorted(range(len(lines)), key=lambda n: len(lines[n]))
    with torch.no_grad():
        for silent, told in found.items():
            model.knock_out(*([silent] if silent else []))
            for first in range(0, len(order), 64):
                some = order[first : first + 64]
                longest = len(lines[some[-1]])  # what pads comes after the words: no word sees it
                ids = torch.tensor([lines[n] + [0] * (longest - len(lines[n])) for n in some])
                for n, best in zip(some, model(ids).argmax(-1).tolist()):
                    told[n] = best[: len(lines[n]) - 1]
    model.knock_out()
    return found


def share_right(model, lines):
    """The share of all places where the word that follows is the most probable."""
    told = answers(model, lines, [])[None]
    return sum(a == b for line, best in zip(lines, told) for a, b in zip(best, line[1:])) / sum(len(line) - 1 for line in lines)


def accuracies(found, lines, places):
    """places [(line, place)]: the share of them where the word that follows is the most probable, for each head silent."""
    return {silent: sum(told[line][at] == lines[line][at + 1] for line, at in places) / len(places) for silent, told in found.items()}


def places_by_kind(lines, words, kinds):
    """kinds: name → test(words of a line, place of the word that is to come)."""
    told = [[words[token] for token in line] for line in lines]
    return {kind: [(n, at) for n, line in enumerate(told) for at in range(1, len(line) - 1) if is_of(line, at + 1)]
            for kind, is_of in kinds.items()}


def rests(model, lines):
    """For each head the shares of rows whose largest weight is on the first word, the word before and the word itself."""
    counts = {place: [0, 0, 0] for place in heads_of(model)}
    rows = 0
    with torch.no_grad():
        for line in lines:
            model(torch.tensor([line[:-1]]))
            length = len(line) - 1
            rows += length - 2
            for layer, attention in enumerate(model.attentions):
                most = attention.weights[0].argmax(-1)
                for head in range(attention.heads):
                    for query in range(2, length):
                        at = int(most[head, query])
                        counts[layer, head][0] += at == 0
                        counts[layer, head][1] += at == query - 1
                        counts[layer, head][2] += at == query
    return {place: dict(zip(("first", "previous", "itself"), (n / rows for n in seen))) for place, seen in counts.items()}


def table(model, lines, words, kinds):
    """Prints, for each kind with enough places, the accuracy and what each head's silence costs."""
    found = answers(model, lines, heads_of(model))
    for kind, places in places_by_kind(lines, words, kinds).items():
        if len(places) < LEAST_PLACES:
            continue
        shares = accuracies(found, lines, places)
        print(f"{kind:28s} {len(places):5d} {shares[None]:.3f} ", " ".join(f"{shares[None] - shares[h]:+.2f}" for h in heads_of(model)), flush=True)


def claims(model, lines, probes, words, kinds, does):
    """A claim for each head that is missed more than any other for a kind of word, on held-out text and on the probes alike."""
    heads = heads_of(model)
    found, probed = answers(model, lines, heads), answers(model, probes, heads)
    places, probe_places = places_by_kind(lines, words, kinds), places_by_kind(probes, words, kinds)
    resting = rests(model, lines)
    best = {}
    for kind in kinds:
        if len(places[kind]) < LEAST_PLACES or len(probe_places[kind]) < 8:
            continue
        shares, own = accuracies(found, lines, places[kind]), accuracies(probed, probes, probe_places[kind])
        order = sorted(heads, key=lambda h: shares[h])
        head, loss = order[0], shares[None] - shares[order[0]]
        own_order = sorted(heads, key=lambda h: own[h])
        if loss < LEAST_LOSS or own_order[0] != head or own[None] - own[head] < LEAST_LOSS or own[own_order[1]] == own[head]:
            continue
        if head not in best or loss > best[head][0]:
            measured = dict(questions=kind, places=len(places[kind]), accuracy=shares[None], without=shares[head], next_largest=shares[order[1]])
            probe = dict(places=len(probe_places[kind]), accuracy=own[None], without=own[head], next_largest=own[own_order[1]])
            best[head] = loss, kind, measured, probe
    rounded = lambda shares: {k: round(v, 3) if isinstance(v, float) else v for k, v in shares.items()}
    written = []
    for (layer, head), (_, kind, measured, probe) in sorted(best.items()):
        on, share = max(resting[layer, head].items(), key=lambda item: item[1])
        written.append(dict(layer=layer, head=head, does=does[kind], rests=dict(on=on, share=round(share, 2)),
                            measured=dict(rounded(measured), probes=rounded(probe))))
    return written


def openings(model, lines, words, claims, least=0.4, most=0.8, least_score=1.0, most_degrees=76):
    """Where a labelled head's silence turns the most probable next word into another, in a graded row that does not begin the
    line and whose largest weight has a positive score that one sees in the angle of query and key: the largest change of the
    answer's share first. (change, line, place, layer, head, weight, key, as it is, without, their probabilities, the word that
    follows)"""
    found = []
    asked = {}  # layer: (queries, keys), [H, n, d]

    def keep(layer, attention, inputs):
        x = inputs[0]
        q, k, _ = (part.view(*x.shape[:2], attention.heads, -1).transpose(1, 2)[0] for part in attention.qkv(x).chunk(3, -1))
        asked[layer] = q, k

    hooks = [attention.register_forward_hook(lambda module, inputs, _, layer=layer: keep(layer, module, inputs))
             for layer, attention in enumerate(model.attentions)]
    with torch.no_grad():
        for number, line in enumerate(lines):
            model.knock_out()
            shares = model(torch.tensor([line[:-1]]))[0].softmax(-1)
            weights = [attention.weights[0].clone() for attention in model.attentions]
            rows = dict(asked)
            for claim in claims:
                layer, head = claim["layer"], claim["head"]
                model.knock_out((layer, head))
                without = model(torch.tensor([line[:-1]]))[0].softmax(-1)
                for at in range(2, len(line) - 1):
                    row = weights[layer][head, at]
                    largest = float(row.max())
                    answer, other = int(shares[at].argmax()), int(without[at].argmax())
                    q, k = rows[layer][0][head, at], rows[layer][1][head, int(row.argmax())]
                    score = float(q @ k) / q.shape[-1] ** 0.5
                    degrees = float(torch.rad2deg(torch.arccos(functional.cosine_similarity(q, k, dim=0))))
                    if least <= largest <= most and answer != other and score > least_score and degrees < most_degrees:
                        change = float(shares[at, answer] - without[at, answer])
                        found.append((change, number, at, layer, head, largest, int(row.argmax()), words[answer], words[other],
                                      float(shares[at, answer]), float(without[at, other]), words[line[at + 1]]))
    model.knock_out()
    for hook in hooks:
        hook.remove()
    return sorted(found, reverse=True)
