import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'

const noAccess =
  /Authentication failed|could not read (?:Username|Password)|Permission denied|Host key verification failed|returned error: 40[13]/

/** Turns the failure of a git command against a server into an error that says what to do. */
export function refusedPush(error: unknown, url: string): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const minutes = limits.forge.pushMs / 60_000
    return new DrydockError('push_refused', `${hostOf(url)} did not answer git within ${minutes} minutes.`, {
      todo: 'Check the network, then run the same command again.',
      cause: error,
    })
  }
  if (!(error instanceof DrydockError) || error.code !== 'git_failed') return error
  const where = hostOf(url)
  const said = error.message.replaceAll(/(?!\n)\p{Cc}/gu, '')
  if (noAccess.test(said))
    return new DrydockError('push_refused', `${where} does not let you push. ${said}`, {
      todo: 'Check that you may push there: git push --dry-run. Over https the token of the forge is used.',
      cause: error,
    })
  if (/remote rejected|remote: /.test(said))
    return new DrydockError('push_refused', `${where} refused the push. ${said}`, {
      todo: 'The branch may be protected, or a hook of the server refuses the commits. Change its rules, then run the same command again.',
      cause: error,
    })
  return new DrydockError('push_refused', `${where} cannot be pushed to. ${said}`, {
    todo: 'Check the remote (git remote -v) and the network, then run the same command again.',
    cause: error,
  })
}

function hostOf(url: string): string {
  return URL.parse(url)?.host || 'The remote'
}
