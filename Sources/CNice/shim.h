#pragma once
// libnice and GLib for Swift: macros and variadic functions as functions.
#include <nice/agent.h>
#include <gio/gio.h>

// Of nice/interfaces.h, which includes a file that is not where it says.
GList *nice_interfaces_get_local_ips(gboolean include_loopback);

typedef void (*cnice_gathered_callback)(NiceAgent *agent, guint stream, gpointer user);
typedef void (*cnice_state_callback)(NiceAgent *agent, guint stream, guint component, guint state, gpointer user);
typedef void (*cnice_candidate_callback)(NiceAgent *agent, NiceCandidate *candidate, gpointer user);
typedef void (*cnice_pair_callback)(NiceAgent *agent, guint stream, guint component, NiceCandidate *local,
                                    NiceCandidate *remote, gpointer user);

static inline void cnice_configure(NiceAgent *agent, gboolean controlling) {
  // UPnP would multicast on the operator's network; TCP candidates only add latency to music.
  g_object_set(agent, "upnp", FALSE, "ice-tcp", FALSE, "controlling-mode", controlling, NULL);
}

static inline void cnice_set_stun_server(NiceAgent *agent, const char *address, guint port) {
  g_object_set(agent, "stun-server", address, "stun-server-port", port, NULL);
}

static inline void cnice_connect(NiceAgent *agent, cnice_gathered_callback gathered, cnice_state_callback state,
                                 cnice_candidate_callback candidate, cnice_pair_callback pair, gpointer user) {
  g_signal_connect(agent, "candidate-gathering-done", G_CALLBACK(gathered), user);
  g_signal_connect(agent, "component-state-changed", G_CALLBACK(state), user);
  g_signal_connect(agent, "new-candidate-full", G_CALLBACK(candidate), user);
  g_signal_connect(agent, "new-selected-pair-full", G_CALLBACK(pair), user);
}

static inline void cnice_disconnect(NiceAgent *agent, gpointer user) {
  g_signal_handlers_disconnect_by_data(agent, user);
}

static inline int cnice_socket_descriptor(NiceAgent *agent, guint stream, guint component) {
  GSocket *socket = nice_agent_get_selected_socket(agent, stream, component);
  return socket ? g_socket_get_fd(socket) : -1;
}

static inline void cnice_unref(gpointer object) { g_object_unref(object); }
