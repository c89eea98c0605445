/**
 * System calls that tested programs do not need and that bypass other restrictions: the user's
 * keys, kernel tracing, page faults that stall the kernel, input and output that avoid the filter,
 * and descriptors of other processes. `statx` is the only call that returns a file's creation time,
 * which cannot be set and would show which files of a checkout were written last.
 */
export const deniedCalls = [
  'add_key',
  'request_key',
  'keyctl',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'pidfd_getfd',
  'statx',
] as const

export type DeniedCall = (typeof deniedCalls)[number]

/**
 * Socket families by number: UNIX, INET, INET6 and NETLINK. A network namespace does not block
 * VSOCK.
 */
export const socketFamilies = [1, 2, 10, 16] as const

/**
 * Denied calls fail with ENOSYS, as on a kernel that lacks them, so that programs use an
 * alternative.
 */
export const noSuchCall = 38
/** Sockets of other families fail with EAFNOSUPPORT. */
export const noSuchFamily = 97
