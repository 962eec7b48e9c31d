# set_value PATH JSON: changes a value.
set_value() {
	printf '[{"op":"add","path":"%s","value":%s}]\n' "$1" "$2" >>"$VALUES_JSON_PATCH_PATH"
}
