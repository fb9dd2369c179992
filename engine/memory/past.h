// The past of a conversation, as attention and recurrence need it: each layer's part lies where its
// attention is computed. One session owns a past. Executors get it with each pass and keep none.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <hearth/result.h>

#include "memory/kv_cache.h"
#include "memory/past_place.h"

namespace hearth {

// Take and give the bytes of a past, piece by piece. An error ends the transfer.
using PastSink = std::function<Result<void>(std::span<const std::byte>)>;
using PastSource = std::function<Result<void>(std::span<std::byte>)>;

// The part that lies in a GPU's memory. The GPU makes it and alone knows what it is. Destroying it
// gives its place back; it must not be used after the GPU's executor is gone.
class GpuPast {
public:
    GpuPast() = default;
    GpuPast(const GpuPast&) = delete;
    GpuPast& operator=(const GpuPast&) = delete;
    virtual ~GpuPast() = default;

    // As KvCache's functions of these names. Between passes. DeviceLost.
    virtual bool has_states() const { return false; }
    virtual Result<void> clear_states() { return {}; }
    virtual Result<void> save_states(int /*slot*/) { return {}; }
    virtual Result<void> restore_states(int /*slot*/) { return {}; }
    virtual bool moves() const { return false; }
    virtual Result<void> move_up(int /*first*/, int /*end*/) { return {}; }
    virtual void move_back() {}
    virtual Result<void> save_kept(int /*first*/, int /*end*/) { return {}; }
    virtual Result<void> restore_kept(int /*first*/, int /*end*/) { return {}; }
    // Pasts that move begin at this position now. For put().
    virtual void set_first(int /*position*/) {}

    // Gives what so many positions left, with all states and copies, and takes it back: the same
    // pieces in the same order. first: of pasts that forget nothing, only the positions from there
    // on. Between passes. DeviceLost, OutOfMemory, what sink and source say.
    virtual Result<void> get(int /*n_positions*/, const PastSink& /*sink*/, int /*first*/) {
        return {};
    }
    virtual Result<void> put(int /*n_positions*/, const PastSource& /*source*/, int /*first*/) {
        return {};
    }
};

class Past {
public:
    Past() = default;
    Past(KvCache on_cpu, std::unique_ptr<GpuPast> on_gpu, MovingRoom room = {})
        : cpu(std::move(on_cpu)), gpu(std::move(on_gpu)), room_(room) {}

    KvCache cpu;
    std::unique_ptr<GpuPast> gpu;  // null: there is no GPU

    int n_ctx() const { return cpu.n_ctx(); }
    bool has_states() const {
        return cpu.state_bytes() > 0 || (gpu != nullptr && gpu->has_states());
    }

    // False if passes can go on from every position that has been passed.
    bool forgets() const { return has_states() || moves(); }

    // The latest position up to `position` from which passes can go on: that itself where nothing
    // is forgotten. The tokens up to `position` must be those that the past has seen.
    int latest(int position) const;
    // A copy of all that latest() goes by.
    PastPlace place() const { return {has_states(), moves(), snapshots_, room_}; }
    // Makes the past that of `position`, one that latest() returns. DeviceLost.
    Result<void> go_to(int position);
    // Before a pass of so many tokens from the past's position on: makes room for them. DeviceLost.
    Result<void> make_room(int position, int n_tokens);
    // Around a pass that begins where the past is: between these two the states are void.
    void begin_pass() { snapshots_.set_present(std::nullopt); }
    void end_pass(int position) { snapshots_.set_present(position); }
    // After a pass with PassTask::each_alone: where there are states, they have not taken its
    // tokens, which may be wrong. The units keep what they take of them.
    void end_pass_ahead(int position, int n_tokens);
    // True if the states have not taken all tokens of such a pass.
    bool is_ahead() const {
        return snapshots_.present() && *snapshots_.present() < snapshots_.ahead().end;
    }
    // The units take these next so that the past is that of `position`, one that latest() returns;
    // and they have.
    Snapshots::Taking to_take(int position) const { return snapshots_.to_take(position); }
    void took(const Snapshots::Taking& tokens) { snapshots_.take(tokens); }
    // All that the states have not taken by now was wrong.
    void forget_ahead() { snapshots_.set_present(snapshots_.present()); }
    // Keeps the states of where the past is, if there are some and enough has passed since it did.
    // DeviceLost.
    Result<void> keep_some();
    // Keeps what leads to where the past is until something else is kept so. DeviceLost.
    Result<void> keep();
    // Forgets what was kept of later positions: other tokens come there.
    void forget_after(int position);

    // Gives what n_positions tokens left, and takes it back into a past of the same layout: then it
    // is where that one was. get() is for positions that latest() returns, where !is_ahead().
    // Between passes. BadFile: what was given is of no past of so many tokens; then, and after any
    // other error of put(), the past holds nothing. DeviceLost, OutOfMemory, what sink and source
    // say.
    // first: of a past that !forgets(), only what the positions from there on left; put() wants
    // those before to be there.
    Result<void> get(int n_positions, const PastSink& sink, int first = 0);
    Result<void> put(int n_positions, const PastSource& source, int first = 0);
    // Holds nothing from now on.
    void forget();
    // Pasts of the same layout have the same text: each layer's part lies in the same way.
    std::string layout_text() const;

private:
    Result<void> put_all(int n_positions, const PastSource& source, int from);
    bool moves() const { return cpu.moves() || (gpu != nullptr && gpu->moves()); }
    Result<void> save(bool pinned);

    Snapshots snapshots_;
    MovingRoom room_;
};

}  // namespace hearth
