const names =
  /^(\.env(\..+)?|\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|key|p12|pfx|jks|keystore))$/i
const examples = /^\.env\.(example|sample|template|dist|defaults)$/i

/** True if a file is refused by name, because such files hold keys. */
export function isSecretFile(path: string): boolean {
  const name =
    path
      .replace(/(\/\.?)+$/, '')
      .split('/')
      .at(-1) ?? ''
  return names.test(name) && !examples.test(name)
}
