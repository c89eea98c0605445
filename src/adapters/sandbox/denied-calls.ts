/**
 * System calls that no program under test needs, each a way around the other walls: keys of the
 * user, tracing of the kernel, page faults that hold the kernel up, input and output behind the
 * filter's back, and descriptors of another process. Only `statx` tells when a file was made, which
 * nobody can set, and so which files of a checkout were written last.
 */
export const deniedCalls = [
  ...['add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'userfaultfd'],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'pidfd_getfd', 'statx'],
] as const

export type DeniedCall = (typeof deniedCalls)[number]

/**
 * Families of sockets by number: UNIX, INET, INET6 and NETLINK. A network namespace does not close
 * VSOCK.
 */
export const socketFamilies = [1, 2, 10, 16] as const

/**
 * What a denied call fails with: ENOSYS, as on a kernel without it, so that programs take another
 * way.
 */
export const noSuchCall = 38
/** What a socket of another family fails with: EAFNOSUPPORT. */
export const noSuchFamily = 97
