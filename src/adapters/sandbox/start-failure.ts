import { sentence } from '../../domain/sentence.ts'
import { lackOf } from '../../domain/verification/scarcity.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'

const install = 'Install it: apt-get install bubblewrap (Linux only)'
const allow =
  'Allow user namespaces. Ubuntu: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; ' +
  'Debian: sysctl -w kernel.unprivileged_userns_clone=1; ' +
  'in Docker: run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined'

/** The reason why a sandbox did not start, derived from the system's error message. */
export function startFailure(words: string): InfraError {
  if (/\bspawn unshare ENOENT\b/.test(words))
    return failure(
      'sandbox_unavailable',
      'bubblewrap is missing, or unshare, which starts it. Install both: apt-get install bubblewrap util-linux (Linux only)',
    )
  if (/\bspawn .*ENOENT\b|failed to execute .*No such file|exec: .*not found/.test(words))
    return failure('sandbox_unavailable', `bubblewrap is missing. ${install}`)
  if (
    /namespace|unshare failed|uid map|gid map|RTM_NEWADDR|setting up loopback|Failed to make \/ slave|Can't mount proc/i.test(
      words,
    )
  ) {
    return failure('sandbox_unavailable', sentence`bubblewrap may not make a sandbox here: ${words}. ${allow}`)
  }
  if (lackOf(words) !== null) {
    return failure('resource_exhaustion', `The machine has too little left to start a sandbox: ${words}`)
  }
  if (/\bEACCES\b|\bEPERM\b|failed to execute .*Permission denied/.test(words))
    return failure('sandbox_unavailable', `bubblewrap cannot be run: ${words}`)
  return failure('container_creation', `The sandbox did not start: ${words}`)
}

function failure(errorType: InfraError['errorType'], errorMessage: string): InfraError {
  return { errorType, errorMessage }
}
