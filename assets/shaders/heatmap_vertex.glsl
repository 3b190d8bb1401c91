// ImGui's own vertices; UV counts the matrix's pixels from its top left corner.
uniform mat4 projection;
in vec2 Position;
in vec2 UV;
in vec4 Color;
out vec2 pixel;

void main() {
  pixel = UV;
  gl_Position = projection * vec4(Position, 0.0, 1.0);
}
