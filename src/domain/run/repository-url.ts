/** True for git's forms of URLs: `scheme://…`, `scheme::…` and `host:path`. */
export function isRepositoryUrl(text: string): boolean {
  return /^[^/]*:/.test(text)
}

/** The name that a clone would have; empty if the URL contains none. */
export function nameOfUrl(url: string): string {
  const [last = ''] = /[^/:]*$/.exec(url.replace(/\/+$/, '').replace(/\/\.git$/, '')) ?? []
  return last.replace(/\.git$/, '')
}

export interface UrlProblem {
  readonly message: string
  readonly todo: string
}

/** The reason why Drydock does not clone the URL; null if it does. */
export function problemOfUrl(url: string): UrlProblem | null {
  if (hasSecret(url))
    return {
      message: 'The URL of a repository in the spec has a user name or a password in it.',
      todo: 'Take it out: agents read the spec. Git asks its credential helper, or uses your SSH key.',
    }
  return isClonable(url)
    ? null
    : {
        message: `The spec names the repository ${JSON.stringify(url)}, which is neither a path nor a URL that Drydock clones.`,
        todo: 'Write https://…, ssh://…, user@host:path or file:///…, or the path of a clone.',
      }
}

/** An SSH URL names the account, which is not a secret. */
function hasSecret(url: string): boolean {
  const [, scheme = '', user = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)@/i.exec(url) ?? []
  return user !== '' && (scheme.toLowerCase() !== 'ssh' || user.includes(':'))
}

const schemes = ['https', 'http', 'ssh', 'file']

function isClonable(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them is part of a URL
  if (/[\s\u0000-\u001f\u007f]/.test(url) || nameOfUrl(url) === '') return false
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? []
  if (scheme !== undefined) return schemes.includes(scheme.toLowerCase())
  // Two colons start a transport program of git.
  return /^(?:[A-Za-z0-9][\w.-]*@)?[A-Za-z0-9][\w.-]*:(?!:)/.test(url)
}
