import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { Context } from 'hono'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * Serves a file of the built dashboard, or its page for any other path. Neither a path nor a link
 * can lead outside of the folder.
 */
export async function staticFile(c: Context, folder: string): Promise<Response> {
  const root = await realpath(folder).catch(() => null)
  const page = root === null ? null : await contentOf(root, 'index.html')
  if (root === null || page === null) return c.html(notBuilt, 503)
  const path = decoded(c.req.path)?.slice(1)
  if (path === undefined) return c.notFound()
  if (path === '' || extname(path) === '') return answer(c, page, { type: types['.html'], immutable: false })
  const type = types[extname(path).toLowerCase()]
  const content = type === undefined ? null : await contentOf(root, path)
  if (content === null) return c.notFound()
  // The names of built files contain a hash of their content.
  return answer(c, content, { type, immutable: path.startsWith('assets/') })
}

/** Undefined for an invalid percent-encoding. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

async function contentOf(root: string, path: string): Promise<Buffer<ArrayBuffer> | null> {
  const file = path.includes('\0') ? null : await realpath(join(root, path)).catch(() => null)
  if (file === null || !file.startsWith(`${root}${sep}`) || !(await stat(file)).isFile()) return null
  return readFile(file)
}

function answer(
  c: Context,
  content: Buffer<ArrayBuffer>,
  { type = '', immutable }: { readonly type: string | undefined; readonly immutable: boolean },
): Response {
  const cache = immutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  return c.body(content, 200, { 'Content-Type': type, 'Cache-Control': cache })
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Drydock</title>
<h1>The dashboard is not built</h1>
<p>Build it in the folder of Drydock, then load this page again:</p>
<pre>npm run build:dashboard</pre>
</html>
`
