import { z } from 'zod'

/** `state.blobs` of the user's file: the destination for logs, artifacts and layers. */

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })
const secret = z.union([z.string().regex(/^[\x21-\x7e]+$/), z.strictObject({ env: variable })], {
  error: 'must be a text without spaces, or { "env": … }',
})

const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((text) => isOrigin(text), { error: 'must be like https://s3.example, without path, user and password' })

const s3 = z.strictObject({
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be a name of a bucket' })
    .describe('It must exist.'),
  endpoint: endpoint.exactOptional().describe('Address of an S3 server. Without it Amazon’s own.'),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, { error: 'must be the name of a region' })
    .exactOptional()
    .describe('Default: AWS_REGION, or us-east-1.'),
  prefix: z
    .string()
    .regex(/^\w[\w.-]*(?:\/\w[\w.-]*)*$/, {
      error: 'must be words of letters, digits, ".", "_" and "-" with "/" between them',
    })
    .exactOptional()
    .describe('Comes before all keys.'),
  access_key_id: secret.exactOptional().describe('Default: AWS_ACCESS_KEY_ID.'),
  secret_access_key: secret.exactOptional().describe('Default: AWS_SECRET_ACCESS_KEY.'),
  session_token: secret.exactOptional().describe('Default: AWS_SESSION_TOKEN.'),
})

export const blobsSchema = z
  .strictObject({
    folder: z
      .string()
      .startsWith('/', { error: 'must be an absolute path' })
      .exactOptional()
      .describe('A folder that exists, on another disk or mounted from another machine.'),
    s3: s3.exactOptional().describe('A bucket of S3, or of a server that speaks its protocol.'),
  })
  .refine(({ folder, s3: bucket }) => (folder === undefined) !== (bucket === undefined), {
    error: 'must have folder or s3',
  })
  .describe('Where logs and artifacts of verifications are kept, and dependency layers shared, beside this machine.')

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.pathname === '/' && url.search + url.hash + url.username + url.password === '')
}
