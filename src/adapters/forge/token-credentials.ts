import type { ForgeAccess } from '../../domain/forge/forge-access.ts'
import type { PushCredentials } from '../../ports/remotes.ts'

/** The token as the password of any user: GitLab, Gitea and Forgejo ignore the user's name. */
export function tokenCredentials({ url, credentials }: ForgeAccess): PushCredentials {
  return { origin: new URL(url).origin, user: 'oauth2', password: tokenOf({ credentials }) }
}

/** The token, for forges without Apps. */
export function tokenOf({ credentials }: Pick<ForgeAccess, 'credentials'>): string {
  if ('token' in credentials) return credentials.token
  throw new Error('an App is for GitHub only')
}
