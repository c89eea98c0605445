import type { EnvironmentVariables } from './environment.ts'
import type { UserConfig } from './schema.ts'

type WithState = Pick<UserConfig, 'state'>

/** The destination for copies of logs and artifacts. */
export type BlobSettings =
  | { readonly folder: string }
  | {
      readonly endpoint: string | null
      readonly region: string
      readonly bucket: string
      readonly prefix: string
      readonly credentials: {
        readonly accessKeyId: string
        readonly secretAccessKey: string
        readonly sessionToken: string | null
      } | null
    }

/** Null if nothing is copied from this machine. */
export function blobSettings({ state }: WithState, env: EnvironmentVariables): BlobSettings | null {
  const { folder, s3 } = state.blobs ?? {}
  if (folder !== undefined) return { folder }
  if (s3 === undefined) return null
  const id = givenOr(s3.access_key_id, env, 'AWS_ACCESS_KEY_ID')
  const key = givenOr(s3.secret_access_key, env, 'AWS_SECRET_ACCESS_KEY')
  const token = givenOr(s3.session_token, env, s3.access_key_id === undefined ? 'AWS_SESSION_TOKEN' : null)
  return {
    endpoint: s3.endpoint?.replace(/\/$/, '') ?? null,
    region: s3.region ?? (textOf(env.AWS_REGION) || textOf(env.AWS_DEFAULT_REGION) || 'us-east-1'),
    bucket: s3.bucket,
    prefix: s3.prefix ?? '',
    credentials:
      id === '' || key === '' ? null : { accessKeyId: id, secretAccessKey: key, sessionToken: token || null },
  }
}

/** The secrets among the settings; the id of a key is not one. */
export function blobSecrets(user: WithState, env: EnvironmentVariables): readonly string[] {
  const settings = blobSettings(user, env)
  const credentials = settings !== null && 'credentials' in settings ? settings.credentials : null
  return credentials === null ? [] : [credentials.secretAccessKey, credentials.sessionToken ?? ''].filter(Boolean)
}

/** The value in the user's file, or else in the standard variable. */
function givenOr(
  given: string | { readonly env: string } | undefined,
  env: EnvironmentVariables,
  variable: string | null,
): string {
  if (typeof given === 'string') return given
  const name = given?.env ?? variable
  return name === null ? '' : textOf(env[name])
}

function textOf(value: string | undefined): string {
  return value?.trim() ?? ''
}
