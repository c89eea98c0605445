/** Any value that JSON can carry; what is stored, sent or logged is made of it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }
